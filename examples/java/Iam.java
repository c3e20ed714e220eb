import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Fixture: one server for a test run, and a sandbox with its own seed for each test. Classes of the JDK only (17 or later),
 * which has no JSON parser: use that of your project instead of {@link Response#field}.
 */
final class Iam {
  /** Requests to this machine do not use a proxy. */
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).proxy(HttpClient.Builder.NO_PROXY).build();

  private Iam() {}

  record Response(int status, String body, String requestId) {
    /** The first field with this name and a text as its value. */
    String field(String name) {
      Matcher field = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(body);
      if (!field.find()) throw new IllegalStateException("no " + name + " in " + body);
      return field.group(1);
    }
  }

  /** Sends JSON and returns the response, whatever its status is. Headers are pairs of name and value. */
  static Response send(String method, String url, String body, String... headers) {
    HttpRequest.BodyPublisher content =
        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(Duration.ofSeconds(70))
            .header("Content-Type", "application/json")
            .method(method, content);
    if (headers.length > 0) request.headers(headers);
    try {
      HttpResponse<String> response = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
      return new Response(response.statusCode(), response.body(), response.headers().firstValue("X-Request-Id").orElse(""));
    } catch (IOException error) {
      throw new IllegalStateException(method + " " + url + ": no response", error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(error);
    }
  }

  /** The server of IAM_BASE_URL, or one that it starts: the command `iam`, or that of IAM_COMMAND. */
  static final class Server implements AutoCloseable {
    final String url;
    private final Process process;

    Server() throws IOException {
      String running = System.getenv("IAM_BASE_URL");
      process = running == null ? start() : null;
      url = running == null ? readUrl(process) : running;
    }

    private static Process start() throws IOException {
      String command = System.getenv().getOrDefault("IAM_COMMAND", "iam");
      List<String> words = new ArrayList<>(List.of(command.split(" ")));
      words.addAll(List.of("serve", "--json", "--port", "0", "--store", "memory", "--fast-passwords"));
      Process process = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      // Also stops it if the tests call System.exit or are interrupted.
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
      return process;
    }

    /** The server prints one line when it accepts requests, and nothing if it cannot start. */
    private static String readUrl(Process process) throws IOException {
      BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      String line = out.readLine();
      if (line == null) throw new IllegalStateException("The server did not start; standard error has the reason.");
      return new Response(200, line, "").field("url");
    }

    Sandbox sandbox(String seed) {
      return new Sandbox(url, seed);
    }

    @Override
    public void close() {
      if (process != null) process.destroy();
    }
  }

  /** A service of its own: users, keys, messages, faults and clock. Closing it deletes it. */
  static final class Sandbox implements AutoCloseable {
    final String url;
    /** For the program under test. */
    final String baseUrl;
    private final String location;

    Sandbox(String server, String seed) {
      String name = "java-" + UUID.randomUUID();
      url = server + "/s/" + name;
      baseUrl = url + "/security/iam/v1";
      location = server + "/_iam/sandboxes/" + name;
      String body = "{\"name\":\"%s\",\"seed\":%s}".formatted(name, seed);
      Response created = send("POST", server + "/_iam/sandboxes", body);
      if (created.status() != 200) throw new IllegalStateException("The sandbox was not created: " + created.body());
    }

    /** A request to the interface, as the program under test sends it. */
    Response call(String token, String method, String path, String body) {
      return send(method, baseUrl + path, body, "Authorization", "Bearer " + token);
    }

    /** A request to the control plane that must succeed. */
    Response control(String method, String path, String body) {
      Response response = send(method, url + "/_iam" + path, body);
      if (response.status() >= 400) throw new IllegalStateException(method + " " + path + ": " + response);
      return response;
    }

    /** An access token, without a password. */
    String signIn(String userName) {
      String user = "{\"userName\":\"%s\",\"clientId\":\"web\",\"level\":\"AUTH-MFA\"}".formatted(userName);
      return control("POST", "/sessions", user).field("accessToken");
    }

    /** Id of the newest message. Pass it to waitForCode, so that an older code is not taken for the next one. */
    String lastMessage(String to) {
      Response messages = control("GET", "/inbox?limit=1&to=" + encode(to), null);
      return messages.body().equals("[]") ? "0" : messages.field("id");
    }

    String waitForCode(String to, String after) {
      return control("GET", "/inbox/wait?timeout=10s&after=" + after + "&to=" + encode(to), null).field("code");
    }

    private static String encode(String text) {
      return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
      send("DELETE", location, null);
    }
  }
}
