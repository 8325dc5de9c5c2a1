package io.sluicegate.client;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A server of the real binary, on a port and a store of its own. */
final class TestServer implements AutoCloseable {
    private static final String LISTENING = "listening on ";

    private final Path data;
    private Process process;
    private String address = "127.0.0.1:0";

    private TestServer(Path data) {
        this.data = data;
    }

    /** Starts one; skips the test where there is no binary, and fails it where CI is set. */
    static TestServer start(Path folder) throws IOException {
        TestServer server = new TestServer(folder.resolve("data"));
        server.start();
        return server;
    }

    String address() {
        return address;
    }

    /** Starts it at its address, on its store. */
    void start() throws IOException {
        Path log = data.resolveSibling("server.log");
        process = new ProcessBuilder(binary().toString(), "serve", "--listen", address, "--data", data.toString())
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line = out.readLine();
        if (line == null || !line.startsWith(LISTENING)) {
            fail("the server didn't start: " + line + "\n" + Files.readString(log));
        }
        address = line.substring(LISTENING.length()).trim();
    }

    /** Kills it, and waits until it is gone. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }

    private static Path binary() {
        String named = System.getenv("SLUICEGATE_BIN");
        Path binary = named != null ? Path.of(named) : Path.of("../../target/debug/sluicegate").toAbsolutePath();
        if (System.getenv("CI") == null) {
            assumeTrue(Files.isExecutable(binary), "no server: set SLUICEGATE_BIN, or build " + binary);
        } else if (!Files.isExecutable(binary)) {
            fail("no server at " + binary);
        }
        return binary;
    }
}
