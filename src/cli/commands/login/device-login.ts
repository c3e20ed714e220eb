/** `iam login --device`: the user logs in with a browser of any machine, while this process asks for the tokens (RFC 8628). */
import type { ApiResponse } from '../../../client/response.ts';
import { deviceGrantType } from '../../../contract/grant-types.ts';
import type { Context } from '../../context.ts';
import { CliError } from '../../errors.ts';
import {
  createRefusedError,
  type FormFields,
  type LoggedInUser,
  type LoginClient,
  loginScope,
  postForm,
  readMetadata,
  readRefusal,
  readTokens,
  unreadableResponseError,
} from './oauth-server.ts';

interface DeviceCodes {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly address: string;
  /** Seconds between two requests for the tokens. */
  readonly interval: number;
}

/** Shows the address and the code, and waits until the user has decided. @throws CliError if it is refused or takes too long. */
export async function loginOnDevice(context: Context, client: LoginClient): Promise<LoggedInUser> {
  await readMetadata(context, 'device_authorization_endpoint');
  const response = await postForm(context, 'device', client, { scope: loginScope });
  const refusal = readRefusal(response);
  if (refusal) throw createRefusedError(refusal, client.clientId, deviceGrantType);
  const codes = parseCodes(response);
  context.notice('Open this page in a browser of any machine, and type the code:');
  context.notice(codes.address);
  context.notice(`Code: ${codes.userCode}`);
  context.notice('Waiting for the login. Press Ctrl-C to stop.');
  return poll(context, client, codes);
}

/** @throws CliError if the response is not that of RFC 8628, 3.2. */
function parseCodes({ body }: ApiResponse): DeviceCodes {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>;
  const { device_code: deviceCode, user_code: userCode, verification_uri: address, interval = 5 } = fields;
  const isSound = [deviceCode, userCode, address].every((value) => typeof value === 'string');
  if (!isSound || typeof interval !== 'number') throw unreadableResponseError();
  return { deviceCode, userCode, address, interval } as DeviceCodes;
}

/** Seconds that `slow_down` adds (RFC 8628, 3.5). */
const slowDown = 5;

/** The server ends it: a code expires. */
async function poll(
  context: Context,
  client: LoginClient,
  { deviceCode, interval }: DeviceCodes,
): Promise<LoggedInUser> {
  const { signal } = context.io;
  const fields: FormFields = { grant_type: deviceGrantType, device_code: deviceCode };
  for (let seconds = interval; ; ) {
    await context.environment.pause?.(seconds * 1000, signal);
    signal.throwIfAborted();
    const response = await postForm(context, 'token', client, fields);
    const { error } = readRefusal(response) ?? {};
    if (error === 'slow_down') seconds += slowDown;
    else if (error === 'expired_token') throw createExpiredError();
    else if (error !== 'authorization_pending') return readTokens(response, client);
  }
}

function createExpiredError(): CliError {
  return new CliError('The code has expired: no user has allowed the login.', {
    ...{ code: 'LOGIN_TIMEOUT', exitCode: 4 },
    hint: 'Start again with the same command.',
  });
}
