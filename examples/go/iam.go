// Package iamtest starts one server for a test run and gives each test a sandbox with its own seed. Standard library only.
package iamtest

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// JSON is an object in a request.
type JSON = map[string]any

// A transport of its own, as requests to this machine do not use a proxy.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}

// StartServer returns the URL of the server of IAM_BASE_URL, or of one that it starts with the command `iam` or that of
// IAM_COMMAND, and a function that stops it.
func StartServer() (string, func(), error) {
	if base := os.Getenv("IAM_BASE_URL"); base != "" {
		return base, func() {}, nil
	}
	command := strings.Fields(os.Getenv("IAM_COMMAND"))
	if len(command) == 0 {
		command = []string{"iam"}
	}
	// The shell stops the server when its input ends, so also if a panic or a time-out ends this process without a call of stop.
	script := `"$@" & exec >&-; read -r _; kill $! 2>&- && wait`
	words := append([]string{"-c", script, "sh"}, command...)
	process := exec.Command("sh", append(words, "serve", "--json", "--port", "0", "--store", "memory", "--fast-passwords")...)
	process.Stderr = os.Stderr
	in, err := process.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := process.Start(); err != nil {
		return "", nil, err
	}
	stop := func() {
		_ = in.Close()
		_ = process.Wait()
	}
	// The server prints one line when it accepts requests, and nothing if it cannot start.
	line, _ := bufio.NewReader(out).ReadBytes('\n')
	var ready struct{ URL string }
	if err := json.Unmarshal(line, &ready); err != nil {
		stop()
		return "", nil, fmt.Errorf("the server did not start: %w", err)
	}
	return ready.URL, stop, nil
}

// Response is the response to any request; Body has the type that encoding/json decodes to.
type Response struct {
	Status    int
	Body      any
	RequestID string
}

// ErrorCode returns the code of the first error, by which a program decides.
func (r Response) ErrorCode() string {
	if errors, ok := r.Body.([]any); ok && len(errors) > 0 {
		code, _ := errors[0].(JSON)["code"].(string)
		return code
	}
	return ""
}

// Sandbox is a service of its own: users, keys, messages, faults and clock.
type Sandbox struct {
	t       testing.TB
	URL     string
	BaseURL string // for the program under test
}

// NewSandbox creates a sandbox, and deletes it at the end of the test.
func NewSandbox(t testing.TB, server string, seed JSON) *Sandbox {
	t.Helper()
	random := make([]byte, 12)
	_, _ = rand.Read(random)
	name := fmt.Sprintf("go-%x", random)
	location := server + "/_iam/sandboxes"
	created := send(t, "POST", location, JSON{"name": name, "seed": seed}, nil)
	if created.Status != 200 {
		t.Fatalf("the sandbox was not created: %v", created.Body)
	}
	t.Cleanup(func() { send(t, "DELETE", location+"/"+name, nil, nil) })
	base := server + "/s/" + name
	return &Sandbox{t, base, base + "/security/iam/v1"}
}

// Call sends a request to the interface, as the program under test does. Headers are pairs of name and value.
func (s *Sandbox) Call(token, method, path string, body any, headers ...string) Response {
	s.t.Helper()
	if token != "" {
		headers = append(headers, "Authorization", "Bearer "+token)
	}
	return send(s.t, method, s.BaseURL+path, body, headers)
}

// Control sends a request to the control plane that must succeed, and returns its body.
func (s *Sandbox) Control(method, path string, body any) any {
	s.t.Helper()
	response := send(s.t, method, s.URL+"/_iam"+path, body, nil)
	if response.Status >= 400 {
		s.t.Fatalf("%s %s: %d %v", method, path, response.Status, response.Body)
	}
	return response.Body
}

// SignIn returns an access token, without a password.
func (s *Sandbox) SignIn(userName string) string {
	s.t.Helper()
	user := JSON{"userName": userName, "clientId": "web", "level": "AUTH-MFA"}
	return s.Control("POST", "/sessions", user).(JSON)["accessToken"].(string)
}

// LastMessage returns the id of the newest message. Pass it to WaitForCode, so that an older code is not taken for the next one.
func (s *Sandbox) LastMessage(to string) string {
	s.t.Helper()
	messages := s.Control("GET", "/inbox?limit=1&to="+url.QueryEscape(to), nil).([]any)
	if len(messages) == 0 {
		return "0"
	}
	return messages[0].(JSON)["id"].(string)
}

// WaitForCode returns the code of the first message after another one.
func (s *Sandbox) WaitForCode(to, after string) string {
	s.t.Helper()
	query := url.Values{"to": {to}, "after": {after}, "timeout": {"10s"}}
	return s.Control("GET", "/inbox/wait?"+query.Encode(), nil).(JSON)["code"].(string)
}

func send(t testing.TB, method, target string, body any, headers []string) Response {
	t.Helper()
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, target, content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	result := Response{Status: response.StatusCode, RequestID: response.Header.Get("X-Request-Id")}
	if err := json.NewDecoder(response.Body).Decode(&result.Body); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return result
}
