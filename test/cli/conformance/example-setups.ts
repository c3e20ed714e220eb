/**
 * Setups of examples besides the server, by the printed example. Examples without a setup run as they are. Add one for
 * a new example that needs it.
 */
import type { CliResult } from '../run-cli.ts';
import { password } from './seed.ts';

export interface ExampleSetup {
  /** Files in the working folder. */
  readonly files?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Runs at a terminal; standard input is what the user types. */
  readonly terminal?: boolean;
  /** The caller; by default the administrator with a token. */
  readonly as?: ExampleCaller;
  /** Profiles with the administrator's credentials; the first is the current one. */
  readonly profiles?: readonly string[];
  /** Commands to run before it, without `iam`. */
  readonly before?: readonly string[];
  /** Replacements of words. */
  readonly names?: Readonly<Record<string, string>>;
  /** It shows no prompt, because what it does was shown before. */
  readonly confirmed?: boolean;
  /** Options that make it take less time. */
  readonly options?: readonly string[];
  /** The exit code, 0 by default. */
  readonly code?: number;
  /** Setup that depends on the results of other commands. */
  prepare?(deps: SetupDeps): Promise<Pick<ExampleSetup, 'stdin' | 'names'>>;
}

/** Alice has passed the second factor, bob acts for no business; both have a token, `client` and `deployer` a secret. */
export type ExampleCaller = 'administrator' | 'alice' | 'bob' | 'client' | 'deployer' | 'password' | 'anonymous';

export interface SetupDeps {
  readonly iam: (line: string, as?: ExampleCaller) => Promise<CliResult>;
}

const document = 'groups:\n  - groupName: ops\n    roles: [DEPLOY, ROLLBACK, VIEW]\n';
const seed = 'users:\n  - userName: dora\n';
const realm = '{"realm":"example","users":[{"username":"dora"}]}';
const bcryptHash = '$2b$04$abcdefghijklmnopqrstuuBzzIgyKkz7xMWYSzkIjUSnxEQFQ0WNe';
const documents = { files: { 'iam.yaml': document } };
const folder = { files: { 'iam/groups.yaml': document } };
const alice: ExampleSetup = { as: 'alice' };
const bob: ExampleSetup = { as: 'bob' };
const factors = 'authenticationFactors:\n  - contactType: EMAIL\n    email: alice@example.net\n    tags: [work]\n';
const withStagingProfile: ExampleSetup = { as: 'anonymous', profiles: ['staging'] };
const oneOperation: ExampleSetup = { options: ['--operation', 'groups.get'] };
const renameGroup = 'groups update ops --set groupName=former';
const withClientToken = {
  prepare: async ({ iam }: SetupDeps) => ({ stdin: (await iam('token generate', 'client')).out }),
};
const withLoggedCall = {
  prepare: async ({ iam }: SetupDeps) => {
    await iam('groups list');
    const [request] = JSON.parse((await iam('requests list --limit 1 -o json')).out) as { id: string }[];
    return { names: { REQUEST_ID: request?.id ?? '' } };
  },
};
const withCustomer = {
  prepare: async ({ iam }: SetupDeps) => {
    const { out } = await iam('customers create-user alice --document 12345 -o name');
    return { names: { CUSTOMER_ID: out.trim() } };
  },
};

export const exampleSetups: Readonly<Record<string, ExampleSetup>> = {
  'iam factors get FACTOR_ID -o yaml': alice,
  'iam groups create --group-name ops --role DEPLOY --role ROLLBACK': { before: [renameGroup] },
  'iam groups create --group-name leads --role APPROVE --dependency ops': { before: ['groups delete leads --yes'] },
  'iam groups delete ops --yes': { before: ['groups delete leads --yes'] },
  'iam groups businesses remove ops acme': { before: ['groups businesses add ops acme'] },
  'iam groups services remove ops billing-service': { before: ['groups services add ops billing-service'] },
  'iam groups business-users remove ops acme alice': {
    before: ['groups business-users add ops acme alice'],
  },
  'iam groups update ops --add-dependency leads --dry-run': { before: ['groups remove-dependency leads ops'] },
  'iam groups update ops -f ops.yaml --yes': { files: { 'ops.yaml': 'groupName: ops\nroles: [VIEW]\n' } },
  'iam clients create --app-id billing --service-account-id billing-service': {
    names: { 'billing-service': 'another-service' },
  },
  'iam customers create-business --business-id acme --business-name Acme --document 12345': {
    names: { acme: 'initech' },
  },
  'iam users create --user-name alice --user-email alice@example.com': {
    names: { alice: 'carol', 'alice@example.com': 'carol@example.com' },
  },
  'iam users create --user-name erin --without-code --password-stdin < password.txt': { stdin: `${password} again\n` },
  'iam customers get CUSTOMER_ID': withCustomer,
  'iam customers get CUSTOMER_ID -o json': withCustomer,
  'iam users remove-identity alice alice.smith': {
    before: ['users add-identity alice --identity alice.smith'],
  },
  'iam users factors add alice -f factors.yaml': { files: { 'factors.yaml': factors } },
  'iam users provision-logon alice --logon SMITH01 --password-file first-password': {
    files: { 'first-password': 'FIRST#1\n' },
  },
  'iam users set-password alice --password-stdin < password.txt': { as: 'client', stdin: `${password} again\n` },
  'iam users set-password alice --verify-contact --password-stdin < password.txt': {
    as: 'client',
    stdin: `${password} again\n`,
  },
  'iam users set-password alice --has-code': { as: 'client', code: 10 },
  'iam users set-password alice --code-stdin --password-stdin < lines.txt': {
    as: 'client',
    prepare: async ({ iam }) => {
      await iam('users invite alice', 'client');
      return { stdin: `${(await iam('inbox code alice@example.com')).out.trim()}\n${password} again\n` };
    },
  },
  'iam users invite alice': { as: 'client' },
  'iam my-clients create --app-id reports --scope READ': bob,
  'iam my-clients delete CLIENT_ID --yes': {
    ...bob,
    prepare: async ({ iam }) => {
      const { out } = await iam('my-clients create --app-id reports --scope READ -o json', 'bob');
      return { names: { CLIENT_ID: (JSON.parse(out) as { clientId: string }).clientId } };
    },
  },
  'iam products authorize --product-id reports-basic': bob,
  'iam products validate --product-alias reports --sku basic --billing-type SUBSCRIPTION': bob,
  'iam factors add --contact-type EMAIL --email alice@example.org --tag home': alice,
  'iam factors add -f factors.yaml': { ...alice, files: { 'factors.yaml': factors } },
  'iam factors list': alice,
  'iam factors remove FACTOR_ID': alice,
  'iam factors send-token main-email': alice,
  'iam factors update FACTOR_ID --contact-type EMAIL --email alice@example.org': alice,
  'iam factors validate-token main-email --token-file -': {
    ...alice,
    prepare: async ({ iam }) => {
      await iam('factors send-token main-email', 'alice');
      return { stdin: (await iam('inbox code alice@example.com')).out };
    },
  },
  'iam requests show REQUEST_ID -o json': withLoggedCall,
  'iam requests wait --operation groups.create --status 201': { before: ['groups create --group-name first'] },
  'iam requests wait --operation user-identities.login --count 3 --wait 60s': {
    before: Array.from({ length: 3 }, () => 'login --user alice --client-id APP_CLIENT_ID'),
    as: 'password',
  },
  'iam why REQUEST_ID': withLoggedCall,
  'iam why REQUEST_ID -o json': withLoggedCall,
  'iam faults remove f1': {
    prepare: async ({ iam }) => ({
      names: { f1: (await iam('faults add --operation groups.create --fail 503 -o name')).out.trim() },
    }),
  },
  'iam bulk run groups.csv --operation groups.create': { files: { 'groups.csv': 'groupName\nfirst\nsecond\n' } },
  'iam bulk run rows.jsonl --rate 10/s -o csv > report.csv': {
    files: { 'rows.jsonl': '{"operation":"groups.create","body":{"groupName":"first"}}\n' },
  },
  'iam bulk run keys.csv --operation api-key.create --secret-output keys.jsonl': {
    files: { 'keys.csv': 'appId,clientId\nbilling,CLIENT_ID\n' },
  },
  'iam bulk run gone.csv --operation user-identities.remove --confirm 12': {
    files: { 'gone.csv': `id\n${Array.from({ length: 12 }, (_, at) => `gone-${at}\n`).join('')}` },
  },
  'iam bulk retry groups.resume-log': createFailedRun(),
  'iam bulk retry groups.resume-log --repeat-unknown': createFailedRun(),
  'iam state save before --replace': { before: ['state save before'] },
  'iam state restore before --yes': { before: ['state save before'] },
  'iam state delete before': { before: ['state save before'] },
  'iam state diff': { code: 1 },
  'iam state diff before now': { before: ['state save before'] },
  'iam state diff before after -o json': { before: ['state save before', 'state save after'] },
  'iam state import state.json': { before: ['state export -f state.json', 'state reset --empty --yes'] },
  'iam state import state.json --force --yes': { before: ['state export -f state.json'] },
  'iam sandbox delete test-1 --yes': { before: ['sandbox create test-1'] },
  'iam token generate --profile staging': withStagingProfile,
  'iam token inspect -f - -o json': withClientToken,
  'iam token inspect --status': withClientToken,
  'iam state seed seed.yaml': { files: { 'seed.yaml': seed } },
  'iam state seed - -o json': { stdin: seed },
  'iam sandbox create test-1 --seed seed.yaml': { files: { 'seed.yaml': seed } },
  'iam users set-password alice --without-code --password-stdin < password.txt': { stdin: `${password} again\n` },
  'iam token inspect --verify -f - -q': withClientToken,
  'iam profile show local': { profiles: ['local'] },
  'iam profile use local': { profiles: ['staging', 'local'] },
  'iam profile remove old --yes': { profiles: ['old'] },
  'iam profile add staging --base-url https://iam.example.com --client-id deployer': { as: 'deployer' },
  'iam profile add ci --base-url https://iam.example.com --client-id ci --secret-file -': { stdin: 'secret\n' },
  'iam config set output json': { profiles: ['local'] },
  'iam login --user alice --client-id APP_CLIENT_ID': { as: 'anonymous', terminal: true, stdin: `${password}\n` },
  'iam login --user alice --client-id APP_CLIENT_ID --password-stdin': { as: 'anonymous', stdin: `${password}\n` },
  // No user of the examples has logged in with a browser; a consent is revoked in test/server/oauth/revoke-consent.test.ts.
  'iam users revoke-consent alice CLIENT_ID --yes': { code: 3 },
  // No browser returns here; a login that takes place is tested in test/cli/commands/login/web-login.test.ts.
  'iam login --web --client-id APP_CLIENT_ID': {
    as: 'anonymous',
    names: { APP_CLIENT_ID: 'billing-service' },
    code: 4,
  },
  // Without a prompt the code is not read; the prompt is tested in test/cli/commands/login/login.test.ts.
  'iam login --mfa': {
    as: 'anonymous',
    prepare: async ({ iam }) => {
      await iam('login --user alice --client-id APP_CLIENT_ID', 'password');
      return {};
    },
    code: 10,
  },
  'iam login --profile production --client-id deployer': { as: 'deployer', profiles: ['production'] },
  'iam import keycloak realm.json --to seed.json': { files: { 'realm.json': realm } },
  'iam import keycloak realm.json --to seed.json --secret-output secrets.jsonl': {
    files: { 'realm.json': '{"realm":"example","clients":[{"clientId":"shop","secret":"**********"}]}' },
  },
  'iam import keycloak realm.json realm-users-0.json --to seed.json': {
    files: { 'realm.json': realm, 'realm-users-0.json': '{"realm":"example","users":[{"username":"erin"}]}' },
  },
  'iam import auth0 users.ndjson hashes.ndjson --to seed.json': {
    files: {
      'users.ndjson': '{"user_id":"auth0|1","email":"dora@example.com"}\n',
      'hashes.ndjson': `{"_id":{"$oid":"1"},"passwordHash":"${bcryptHash}"}\n`,
    },
  },
  'iam import auth0 users.json --to seed.json': {
    files: { 'users.json': `[{"email":"dora@example.com","password_hash":"${bcryptHash}"}]` },
  },
  'iam logout --profile staging': withStagingProfile,
  'iam can billing-service DEPLOY -q': { before: ['groups services add ops billing-service'] },
  'iam can alice APPROVE --business acme -o json': {
    before: ['groups business-users add leads acme alice'],
  },
  'iam whoami': { as: 'client' },
  'iam whoami -o json': { as: 'client' },
  'iam plan -f iam.yaml': documents,
  'iam plan -f iam.yaml --out plan.json': documents,
  'iam plan -f iam/ --detailed-exitcode -o json': { ...folder, code: 9 },
  'iam apply -f iam.yaml': documents,
  'iam apply plan.json': { ...documents, confirmed: true, before: ['plan -f iam.yaml --out plan.json'] },
  'iam apply -f iam/ --yes --secret-output secrets.jsonl': folder,
  'iam apply -f iam.yaml --set base --prune --confirm base': {
    files: { ...documents.files, 'before.yaml': `${document}  - groupName: former\n` },
    before: ['apply -f before.yaml --set base --yes'],
  },
  'iam diff -f iam.yaml': { ...documents, code: 1 },
  'iam diff -f iam.yaml -o json': { ...documents, code: 1 },
  'iam doctor': { as: 'client' },
  'iam doctor --profile staging -o json': withStagingProfile,
  'iam conformance --profile staging': { ...withStagingProfile, ...oneOperation },
  'iam conformance --allow-writes -o json': oneOperation,
  'iam conformance --baseline conformance.json --update-baseline': oneOperation,
  'iam coverage --threshold 80 -q': { code: 1 },
  'iam call groups.create -f group.json': { files: { 'group.json': '{"groupName":"first"}' } },
  'iam call user-identities.identification --anonymous --param clientId=APP_CLIENT_ID -f contact.json': {
    files: { 'contact.json': '{"userEmail":"carol@example.com"}' },
  },
  'iam api POST /groups/ops/role -f role.json': { files: { 'role.json': '{"roleName":"VIEW"}' } },
};

/** A rejected run whose cause no longer exists. */
function createFailedRun(): ExampleSetup {
  return {
    files: { 'groups.csv': 'groupName\nops\n' },
    before: ['bulk run groups.csv --operation groups.create', renameGroup],
  };
}
