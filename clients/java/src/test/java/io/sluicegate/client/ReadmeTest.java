package io.sluicegate.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ReadmeTest {
    @Test
    void theQuickstartIsTheExamples() throws IOException {
        Matcher blocks = Pattern.compile("```(?:xml|java)\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(Path.of("README.md")));
        List<String> shown = blocks.results().map(block -> block.group(1)).toList();
        List<String> files = List.of(
                Files.readString(Path.of("examples/pom.xml")),
                Files.readString(Path.of("examples/Producer.java")),
                Files.readString(Path.of("examples/WelcomeWorker.java")));
        assertEquals(files, shown);
        String version = Pattern.compile("<version>(.*?)</version>")
                .matcher(Files.readString(Path.of("pom.xml")))
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
        assertTrue(files.get(0).contains("<artifactId>sluicegate-client</artifactId>\n      <version>" + version + "<"));
    }

    @Test
    void theExamplesRunAndTheWorkerEndsOnSigterm(@TempDir Path folder) throws Exception {
        try (TestServer server = TestServer.start(folder); SluicegateClient client = SluicegateClient.connect(server.address())) {
            for (int turn = 1; turn <= 2; turn++) {
                Process producer = example("Producer", server.address());
                String said = new String(producer.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertEquals(0, producer.waitFor(), said);
                assertTrue(said.contains("enqueued "), said);
            }
            assertEquals(2, client.jobs().byQueue("emails").byBudgetsKey("smtp").count());

            Process worker = example("WelcomeWorker", server.address());
            try (BufferedReader out = new BufferedReader(new InputStreamReader(worker.getInputStream(), StandardCharsets.UTF_8))) {
                List<String> greetings = out.lines().filter(line -> line.startsWith("welcome, ")).limit(2).toList();
                assertEquals(List.of("welcome, \"ada@example.com\"", "welcome, \"ada@example.com\""), greetings);
                worker.destroy();
                worker.waitFor();
            } finally {
                worker.destroyForcibly();
            }
            assertEquals(0, client.jobs().count());
        }
    }

    private static Process example(String name, String address) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        return new ProcessBuilder(java.toString(), "-cp", System.getProperty("java.class.path"), name, address)
                .redirectErrorStream(true)
                .start();
    }
}
