import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Tests without a test library: {@code javac -d out *.java && java -cp out IamTest}. With JUnit, each is a {@code @Test}. */
final class IamTest {
  private static Iam.Server server;

  /** A seed in which the first user is an auditor. */
  private static String seedFor(String... names) {
    List<String> users = new ArrayList<>();
    for (String name : names)
      users.add("{\"userId\":\"%1$s\",\"userName\":\"%1$s\",\"userEmail\":\"%1$s@example.com\"}".formatted(name));
    return """
        {
          "clients": [{"clientId": "web", "appId": "web", "party": "1STPARTY"}],
          "users": [%s],
          "groups": [{"groupName": "auditors", "roles": ["ADMIN"], "users": ["%s"]}]
        }
        """.formatted(String.join(",", users), names[0]);
  }

  static void aRoleDecides() {
    try (Iam.Sandbox iam = server.sandbox(seedFor("ann", "bob"))) {
      expect(200, iam.call(iam.signIn("ann"), "GET", "/groups/auditors", null).status());
      Iam.Response refused = iam.call(iam.signIn("bob"), "GET", "/groups/auditors", null);
      expect("403 ROLE_MISSING", refused.status() + " " + refused.field("code"));
      String why = iam.control("GET", "/requests/" + refused.requestId() + "/why", null).body();
      expect(true, why.contains("\"missing\":[\"ADMIN\"]"));
    }
  }

  static void aTokenExpires() {
    try (Iam.Sandbox iam = server.sandbox(seedFor("ann"))) {
      String token = iam.signIn("ann");
      String beforeExpiry = "{\"to\":\"expiry\",\"of\":\"%s\",\"offset\":\"-1s\",\"freeze\":true}".formatted(token);
      iam.control("PUT", "/clock", beforeExpiry);
      expect(200, iam.call(token, "GET", "/groups", null).status());
      iam.control("PUT", "/clock", "{\"advance\":\"1s\"}");
      expect(401, iam.call(token, "GET", "/groups", null).status());
    }
  }

  static void theServiceIsUnavailable() {
    try (Iam.Sandbox iam = server.sandbox(seedFor("ann"))) {
      String token = iam.signIn("ann");
      iam.control("POST", "/faults", "{\"operation\":\"groups.get\",\"times\":1,\"effect\":{\"status\":503}}");
      expect(503, iam.call(token, "GET", "/groups/auditors", null).status());
      expect(200, iam.call(token, "GET", "/groups/auditors", null).status());
      expect(503, Iam.send("GET", iam.baseUrl + "/groups/auditors", null, "Prefer", "code=503").status());
    }
  }

  static void aCodeResetsThePassword() {
    try (Iam.Sandbox iam = server.sandbox(seedFor("ann"))) {
      String users = iam.baseUrl + "/user-identities/";
      String last = iam.lastMessage("ann@example.com");
      Iam.send("POST", users + "retrieve-identity?clientId=web", "{\"userName\":\"ann\"}");
      String code = iam.waitForCode("ann@example.com", last);
      String change =
          "{\"username\":\"ann\",\"validationCode\":\"%s\",\"newPassword\":\"seven green umbrellas\"}".formatted(code);
      expect(201, Iam.send("POST", users + "reset-password?clientId=web", change).status());
      expect("CODE_INVALID", Iam.send("POST", users + "reset-password?clientId=web", change).field("code"));
    }
  }

  static void aResetRestoresTheSeed() {
    try (Iam.Sandbox iam = server.sandbox(seedFor("ann"))) {
      iam.control("POST", "/seed", "{\"users\":[{\"userId\":\"carl\",\"userName\":\"carl\"}]}");
      iam.signIn("carl");
      iam.control("POST", "/state/reset", "{\"to\":\"seed\"}");
      expect("[]", iam.control("GET", "/users?name=carl", null).body());
    }
  }

  static void twentySandboxesInParallel() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(20);
    try {
      List<Callable<Void>> runs = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int number = i;
        runs.add(() -> useSandbox(number));
      }
      for (Future<Void> run : pool.invokeAll(runs)) run.get();
    } finally {
      pool.shutdown();
    }
  }

  private static Void useSandbox(int number) {
    String name = "user-" + number;
    boolean fails = number % 4 < 2;
    boolean expires = number % 2 == 1;
    try (Iam.Sandbox iam = server.sandbox(seedFor(name))) {
      String token = iam.signIn(name);
      if (fails) iam.control("POST", "/faults", "{\"times\":1,\"effect\":{\"status\":503}}");
      expect(fails ? 503 : 200, iam.call(token, "GET", "/groups/auditors", null).status());
      if (expires) iam.control("PUT", "/clock", "{\"advance\":\"2h\"}");
      expect(expires ? 401 : 200, iam.call(token, "GET", "/groups/auditors", null).status());
      expect("[]", iam.control("GET", "/users?name=user-" + (number + 1) % 20, null).body());
    }
    return null;
  }

  private static void expect(Object expected, Object actual) {
    if (!expected.equals(actual)) throw new AssertionError("expected " + expected + ", got " + actual);
  }

  private interface Test {
    void run() throws Exception;
  }

  private static boolean passes(String name, Test test) {
    try {
      test.run();
      System.out.println("ok " + name);
      return true;
    } catch (Exception | AssertionError error) {
      System.out.println("not ok " + name);
      error.printStackTrace();
      return false;
    }
  }

  public static void main(String[] words) throws Exception {
    boolean passed;
    try (Iam.Server started = new Iam.Server()) {
      server = started;
      passed = passes("a role decides", IamTest::aRoleDecides);
      passed &= passes("a token expires", IamTest::aTokenExpires);
      passed &= passes("the service is unavailable", IamTest::theServiceIsUnavailable);
      passed &= passes("a code resets the password", IamTest::aCodeResetsThePassword);
      passed &= passes("a reset restores the seed", IamTest::aResetRestoresTheSeed);
      passed &= passes("20 sandboxes in parallel", IamTest::twentySandboxesInParallel);
    }
    System.exit(passed ? 0 : 1);
  }
}
