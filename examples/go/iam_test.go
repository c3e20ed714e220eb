package iamtest

import (
	"fmt"
	"os"
	"testing"
)

var server string

func TestMain(m *testing.M) {
	url, stop, err := StartServer()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server = url
	code := m.Run()
	stop()
	os.Exit(code)
}

// seedFor returns a seed in which the first user is an auditor.
func seedFor(names ...string) JSON {
	users := []JSON{}
	for _, name := range names {
		users = append(users, JSON{"userId": name, "userName": name, "userEmail": name + "@example.com"})
	}
	return JSON{
		"clients": []JSON{{"clientId": "web", "appId": "web", "party": "1STPARTY"}},
		"users":   users,
		"groups":  []JSON{{"groupName": "auditors", "roles": []string{"ADMIN"}, "users": names[:1]}},
	}
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestRoleDecides(t *testing.T) {
	iam := NewSandbox(t, server, seedFor("ann", "bob"))
	expect(t, "ann", iam.Call(iam.SignIn("ann"), "GET", "/groups/auditors", nil).Status, 200)
	refused := iam.Call(iam.SignIn("bob"), "GET", "/groups/auditors", nil)
	expect(t, "bob", refused.Status, 403)
	expect(t, "code", refused.ErrorCode(), "ROLE_MISSING")
	why := iam.Control("GET", "/requests/"+refused.RequestID+"/why", nil).(JSON)
	expect(t, "missing roles", why["missing"], "[ADMIN]")
}

func TestTokenExpires(t *testing.T) {
	iam := NewSandbox(t, server, seedFor("ann"))
	token := iam.SignIn("ann")
	iam.Control("PUT", "/clock", JSON{"to": "expiry", "of": token, "offset": "-1s", "freeze": true})
	expect(t, "before expiry", iam.Call(token, "GET", "/groups", nil).Status, 200)
	iam.Control("PUT", "/clock", JSON{"advance": "1s"})
	expect(t, "at expiry", iam.Call(token, "GET", "/groups", nil).Status, 401)
}

func TestServiceIsUnavailable(t *testing.T) {
	iam := NewSandbox(t, server, seedFor("ann"))
	token := iam.SignIn("ann")
	iam.Control("POST", "/faults", JSON{"operation": "groups.get", "times": 1, "effect": JSON{"status": 503}})
	expect(t, "with the fault", iam.Call(token, "GET", "/groups/auditors", nil).Status, 503)
	expect(t, "after it", iam.Call(token, "GET", "/groups/auditors", nil).Status, 200)
	expect(t, "with Prefer", iam.Call(token, "GET", "/groups/auditors", nil, "Prefer", "code=503").Status, 503)
}

func TestCodeResetsPassword(t *testing.T) {
	iam := NewSandbox(t, server, seedFor("ann"))
	last := iam.LastMessage("ann@example.com")
	iam.Call("", "POST", "/user-identities/retrieve-identity?clientId=web", JSON{"userName": "ann"})
	code := iam.WaitForCode("ann@example.com", last)
	change := JSON{"username": "ann", "validationCode": code, "newPassword": "seven green umbrellas"}
	path := "/user-identities/reset-password?clientId=web"
	expect(t, "the code", iam.Call("", "POST", path, change).Status, 201)
	expect(t, "the code again", iam.Call("", "POST", path, change).ErrorCode(), "CODE_INVALID")
}

func TestResetRestoresSeed(t *testing.T) {
	iam := NewSandbox(t, server, seedFor("ann"))
	iam.Control("POST", "/seed", JSON{"users": []JSON{{"userId": "carl", "userName": "carl"}}})
	iam.SignIn("carl")
	iam.Control("POST", "/state/reset", JSON{"to": "seed"})
	expect(t, "users named carl", iam.Control("GET", "/users?name=carl", nil), "[]")
}

func TestTwentySandboxesInParallel(t *testing.T) {
	for number := 0; number < 20; number++ {
		number, name := number, fmt.Sprintf("user-%d", number)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			iam := NewSandbox(t, server, seedFor(name))
			token := iam.SignIn(name)
			first, second := 200, 200
			if number%4 < 2 {
				first = 503
				iam.Control("POST", "/faults", JSON{"times": 1, "effect": JSON{"status": 503}})
			}
			expect(t, "the first request", iam.Call(token, "GET", "/groups/auditors", nil).Status, first)
			if number%2 == 1 {
				second = 401
				iam.Control("PUT", "/clock", JSON{"advance": "2h"})
			}
			expect(t, "the second request", iam.Call(token, "GET", "/groups/auditors", nil).Status, second)
			expect(t, "requests", len(iam.Control("GET", "/requests", nil).([]any)), 2)
			neighbour := fmt.Sprintf("/users?name=user-%d", (number+1)%20)
			expect(t, "users of another sandbox", iam.Control("GET", neighbour, nil), "[]")
		})
	}
}
