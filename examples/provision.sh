#!/usr/bin/env bash
# Creates groups, roles, users, a service with its key, and memberships. Existing entities are not changed, so you can
# run it repeatedly. It needs administrator credentials: eval "$(iam env)", or IAM_CLIENT_ID and IAM_CLIENT_SECRET.
# New secrets are written to private files in the folder SECRETS. IAM names another command than that of this package.
set -euo pipefail
secrets=${SECRETS:-secrets}
mkdir -p -m 700 "$secrets"
iam() { "${IAM:-$(dirname "$0")/../bin/iam}" --no-input --quiet "$@"; }
make() { iam "$@" --if-not-exists > /dev/null; }

# Two groups; billing depends on viewers, so its members also have VIEW.
make groups create --group-name viewers
make groups create --group-name billing
iam groups update viewers --add-role VIEW
iam groups update billing --add-role INVOICE --add-role REFUND --add-dependency viewers

# Users, and a service with a key.
for user in alice bob; do
  make users create --user-id "$user" --user-name "$user" --user-email "$user@example.com"
done
client=$(iam clients create --app-id invoices --service-account-id invoices-service --if-not-exists \
  --secret-output "$secrets/client-secret" -o name)
if [ -z "$(iam api-key list --client-id "$client" -o name)" ]; then
  iam api-key create --client-id "$client" --app-id invoices --secret-output "$secrets/api-key"
fi

# Memberships, and a check of the resulting roles: `iam can` exits with 1 if a role is missing.
iam groups users add billing alice bob
iam groups services add billing invoices-service
iam can alice REFUND
iam can invoices-service VIEW
