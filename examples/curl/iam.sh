# Fixture for bash with curl and sed only: one server for a test run, and a sandbox with its own seed for each test.

# send METHOD URL [JSON] [curl options] prints the body, and fails unless the status is 2xx.
send() {
  local method=$1 url=$2 body=${3:-}
  curl -sS --noproxy '*' --fail-with-body -X "$method" -H 'Content-Type: application/json' ${body:+--data "$body"} "${@:4}" "$url"
}

# status_as TOKEN URL prints the status of a GET request with a token.
status_as() { curl -sS --noproxy '*' -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $1" "$2"; }

# field NAME prints the last text with this name in the JSON of the input.
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

# start_server sets `server` to IAM_BASE_URL, or starts a server with the command `iam` or that of IAM_COMMAND.
start_server() {
  server=${IAM_BASE_URL:-}
  [ -z "$server" ] || return 0
  folder=$(mktemp -d)
  mkfifo "$folder/ready"
  # Without quotes, as the command may have words.
  ${IAM_COMMAND:-iam} serve --json --port 0 --store memory --fast-passwords > "$folder/ready" &
  server_pid=$!
  # The server prints one line when it accepts requests, and nothing if it cannot start.
  local line
  read -r line < "$folder/ready" || true
  rm -r "$folder"
  server=$(field url <<< "$line")
  [ -n "$server" ] || { echo 'The server did not start.' >&2; return 1; }
}

stop_server() { [ -z "${server_pid:-}" ] || kill "$server_pid" 2> /dev/null || true; }

# create_sandbox NAME SEED prints its URL; delete_sandbox URL deletes it.
create_sandbox() { send POST "$server/_iam/sandboxes" "{\"name\":\"$1\",\"seed\":$2}" | field baseUrl; }
delete_sandbox() { send DELETE "$server/_iam/sandboxes/${1##*/}"; }

# sign_in URL USER prints an access token, without a password.
sign_in() { send POST "$1/_iam/sessions" "{\"userName\":\"$2\",\"clientId\":\"web\",\"level\":\"AUTH-MFA\"}" | field accessToken; }

# last_message URL ADDRESS prints the id of the newest message. Pass it to code_after, so that an older code is not taken for the next one.
last_message() {
  local id
  id=$(send GET "$1/_iam/inbox?limit=1&to=$2" | field id)
  echo "${id:-0}"
}

# code_after URL ADDRESS ID waits for the first message after that one, and prints its code.
code_after() { send GET "$1/_iam/inbox/wait?to=$2&after=$3&timeout=10s" | field code; }
