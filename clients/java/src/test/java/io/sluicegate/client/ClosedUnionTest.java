package io.sluicegate.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/** What isn't a strategy doesn't compile. */
class ClosedUnionTest {
    @Test
    void strategiesThatThereAreCompile() {
        assertEquals(List.of(), errors("Policy p = Policy.whileInFlight(3);"));
        assertEquals(List.of(), errors("Strategy s = new TimeBased(Duration.ofSeconds(1)).withBurst(2);"));
        assertEquals(List.of(), errors("Strategy s = new WhileInFlight();"));
    }

    @Test
    void whileInFlightHasNeitherDurationNorBurst() {
        assertRefused("Strategy s = new WhileInFlight(Duration.ofSeconds(1));", "cannot be applied");
        assertRefused("Strategy s = Strategy.whileInFlight(Duration.ofSeconds(1));", "cannot be applied");
        assertRefused("Strategy s = Strategy.whileInFlight().withBurst(2);", "cannot find symbol");
        assertRefused("Policy p = Policy.whileInFlight(3, Duration.ofSeconds(1));", "cannot be applied");
    }

    @Test
    void timeBasedNeedsADuration() {
        assertRefused("Strategy s = new TimeBased();", "no suitable constructor");
    }

    @Test
    void nobodyAddsAStrategy() {
        assertRefused("record Mine() implements Strategy {}", "sealed");
    }

    private static void assertRefused(String statement, String why) {
        List<String> errors = errors(statement);
        assertTrue(errors.size() == 1 && errors.get(0).contains(why), statement + ": " + errors);
    }

    private static List<String> errors(String statement) {
        String source = "import io.sluicegate.client.*; import java.time.Duration; class Snippet { void run() { " + statement + " } }";
        JavaFileObject file = new SimpleJavaFileObject(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return source;
            }
        };
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options = List.of("-proc:none", "-Xlint:none", "-d", "target", "-cp", System.getProperty("java.class.path"));
        compiler.getTask(null, null, found, options, null, List.of(file)).call();
        return found.getDiagnostics().stream()
                .filter(it -> it.getKind() == Diagnostic.Kind.ERROR)
                .map(it -> it.getMessage(Locale.ROOT))
                .toList();
    }
}
