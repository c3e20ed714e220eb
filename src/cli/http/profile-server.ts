/**
 * Sends secrets to the server of a local profile only while its process runs: once it has stopped, every user of the machine
 * can listen on its port. A running server keeps its port.
 */
import type { OutgoingRequest } from '../../client/request.ts';
import { environmentOrigin, type ResolvedCredentials } from '../auth/credentials.ts';
import { isMoved, type ProfileServer, readUsableProfiles } from '../config/profile.ts';
import { isSameOrigin, toReachableUrl } from '../config/server-url.ts';
import { type CliSettings, defaultOrigin } from '../config/settings.ts';
import { CliError } from '../errors.ts';
import { isProcessRunning } from '../io/processes.ts';
import { isLoopbackUrl } from './network.ts';
import { type FindRequestFields, isOpenRequest } from './redact.ts';

/**
 * Creates a guard that rejects requests with secrets before a connection is opened.
 * @returns a function that throws CliError (exit 75) if the server of the profile in use is not running
 */
export function createProcessGuard(
  settings: CliSettings,
  baseUrl: string,
  credentials: ResolvedCredentials,
  fieldsAt: FindRequestFields,
): (request: OutgoingRequest) => Promise<void> {
  const found = findProfileServer(settings, baseUrl, credentials);
  if (!found) return async () => undefined;
  let server = found;
  let isRunning = false;
  return async (request) => {
    if (isOpenRequest(request, fieldsAt(request.method, request.path))) return;
    // Systems other than Linux start a program to find out, so they do it once.
    if (isRunning && process.platform !== 'linux') return;
    isRunning = await isProcessRunning(server);
    if (isRunning) return;
    // A server that was started again has another process, which the profile names by now.
    server = findProfileServer(await readAgain(settings), baseUrl, credentials) ?? server;
    isRunning = await isProcessRunning(server);
    if (!isRunning) throw createEndedError(settings, server);
  };
}

async function readAgain(settings: CliSettings): Promise<CliSettings> {
  return settings.with({ file: await readUsableProfiles(settings.variables) });
}

/**
 * The server that the profile is bound to, if requests go there. Only with credentials and URL of the environment does it not
 * matter: a request without credentials can have the tokens of the profile, or a password, in its body.
 */
function findProfileServer(
  settings: CliSettings,
  baseUrl: string,
  credentials: ResolvedCredentials,
): ProfileServer | undefined {
  const { profile, profileName, options, variables } = settings;
  const server = profile?.server;
  if (!server || !isSameListener(baseUrl, server.url)) return undefined;
  const isNamed = (options.profile || variables.IAM_PROFILE) !== undefined;
  const selectsServer = settings.get('base-url')?.origin === `profile ${profileName?.value}`;
  return isNamed || selectsServer || credentials.origin !== environmentOrigin ? server : undefined;
}

/** Whether two URLs have the same origin, or the same port of this machine: loopback has many names and addresses. */
function isSameListener(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return false;
  const [first, second] = [one, other].map((url) => new URL(toReachableUrl(url))) as [URL, URL];
  const isLocal = isLoopbackUrl(first) && isLoopbackUrl(second);
  return isLocal ? portOf(first) === portOf(second) : isSameOrigin(one, other);
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}

function createEndedError(settings: CliSettings, server: ProfileServer): CliError {
  const { url, options, data } = server;
  const profile = settings.profileName?.value ?? '';
  const port = URL.canParse(url) ? portOf(new URL(url)) : '';
  const isWaitChosen = settings.get('max-wait')?.origin !== defaultOrigin;
  const wait = isWaitChosen ? '' : ', or wait for it with --max-wait SECONDS';
  const start = isMoved(server)
    ? `Its store ${data} is not there any more. If it was moved, start it with \`iam server start --data FOLDER\`: the profile follows it.`
    : `Start it with \`iam server start${options} --port ${port}\`${wait}.`;
  return new CliError(`The server of the profile ${profile} is not running; nothing was sent to ${url}.`, {
    code: 'SERVER_NOT_RUNNING',
    exitCode: 75,
    hint: `${start} For another server at this address, add a profile with \`iam profile add\`.`,
  });
}
