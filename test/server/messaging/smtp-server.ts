/** An SMTP server that stores received e-mails. */
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body, as received. */
  readonly raw: string;
}

export interface MailServer extends AsyncDisposable {
  /** Contains the required credentials. */
  readonly url: string;
  readonly port: number;
  readonly mails: readonly Mail[];
}

export interface MailServerOptions {
  readonly port?: number;
  /** Response code that rejects recipients; without it, all are accepted. */
  readonly replyCode?: number;
  /** Whether the server announces SMTPUTF8. Default: true. */
  readonly isInternational?: boolean;
}

export const smtpPassword = 'password-of-the-relay';

export async function startMailServer({
  port = 0,
  replyCode,
  isInternational = true,
}: MailServerOptions = {}): Promise<MailServer> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    hideSTARTTLS: true,
    hideSMTPUTF8: !isInternational,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === smtpPassword ? done(null, { user: username }) : done(new Error('wrong password')),
    onRcptTo: ({ address }, _session, done) =>
      replyCode === undefined
        ? done()
        : done(Object.assign(new Error(`no mailbox ${address} here`), { responseCode: replyCode })),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  // A client may disconnect.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const at = (server.server.address() as AddressInfo).port;
  return {
    url: `smtp://relay-user:${smtpPassword}@127.0.0.1:${at}`,
    port: at,
    mails,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
