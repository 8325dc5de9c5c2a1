package io.sluicegate.conformance;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.sluicegate.client.SluicegateClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Maps the commands of the conformance harness to the public calls of the client. JSON lines in, JSON lines out. */
public final class Runner {
    private static final PrintStream OUT = new PrintStream(System.out, false, StandardCharsets.UTF_8);

    private Runner() {}

    /** Serves commands until there are no more: {@code --address HOST:PORT}. */
    public static void main(String[] args) throws IOException {
        if (args.length != 2 || !args[0].equals("--address")) {
            throw new IllegalArgumentException("usage: run --address HOST:PORT");
        }
        Commands commands = new Commands(SluicegateClient.connect(args[1]), Runner::emit);
        ExecutorService calls = Executors.newCachedThreadPool();
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonObject command = JsonParser.parseString(line).getAsJsonObject();
            calls.execute(() -> emit(reply(commands, command)));
        }
        System.exit(0);
    }

    private static JsonObject reply(Commands commands, JsonObject command) {
        JsonObject reply = new JsonObject();
        reply.add("id", command.get("id"));
        try {
            JsonElement answer = commands.run(command);
            reply.add("ok", answer == null ? JsonNull.INSTANCE : answer);
        } catch (RuntimeException | InterruptedException error) {
            reply.add("error", Json.error(error));
        }
        return reply;
    }

    private static synchronized void emit(JsonObject line) {
        OUT.println(line);
        OUT.flush();
    }
}
