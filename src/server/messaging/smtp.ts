/** Relay for e-mails over SMTP. Loaded when the first message is sent. */
import { createTransport } from 'nodemailer';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { needsSmtpUtf8, normalizeEmail } from '../../contract/email/email-address.ts';
import { type OutgoingMessage, type Relay, RelayRejection } from './relay.ts';

export interface SmtpOptions {
  /** Includes the credentials, if the relay requires them. */
  readonly url: string;
  readonly from: string;
  /** Timeout of each protocol step in milliseconds. */
  readonly timeout: number;
}

export function createSmtpRelay({ url, from: sender, timeout }: SmtpOptions): Relay {
  const timeouts = {
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    dnsTimeout: timeout,
  };
  const from = normalizeEmail(sender);
  const transport = createTransport({
    url,
    ...timeouts,
    // A message must not cause nodemailer to read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async deliver(message) {
      // Without the extension, nodemailer would send the letters as they are, and a server could deliver to another mailbox.
      const isInternational = needsSmtpUtf8(message.to) || needsSmtpUtf8(from);
      if (isInternational && !(await announcesSmtpUtf8({ ...parseConnectionUrl(url), ...timeouts })))
        throw new RelayRejection('the relay does not support SMTPUTF8, which the address requires');
      await transport.sendMail(toMail(message, from)).catch((error: unknown) => {
        throw isRejection(error) ? new RelayRejection(`rejected with ${error.responseCode}`) : error;
      });
    },
    close: () => transport.close(),
  };
}

/** Whether the server announces SMTPUTF8 (RFC 6531). Of nodemailer, only a handler of logins receives what is announced. */
function announcesSmtpUtf8(options: ConstructorParameters<typeof SMTPConnection>[0]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const method = 'NONE';
    const connection = new SMTPConnection({
      ...options,
      customAuth: {
        [method]: (context) => {
          resolve(context.extensions.includes('SMTPUTF8'));
          context.resolve();
        },
      },
    });
    connection.once('error', reject);
    connection.once('end', () =>
      reject(Object.assign(new Error('The connection was closed.'), { code: 'ECONNECTION' })),
    );
    connection.connect(() => connection.login({ method }, () => connection.quit()));
  });
}

/** Addresses are objects: nodemailer would split strings at commas, and a message has one recipient. */
function toMail({ id, to, subject, text }: OutgoingMessage, from: string) {
  return {
    from: { name: '', address: from },
    to: { name: '', address: normalizeEmail(to) },
    subject,
    text,
    messageId: `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** A 5xx for the addresses or the message (RFC 5321, 4.2.1). A 5xx for the login is caused by the settings and is retried. */
function isRejection(error: unknown): error is { responseCode: number } {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500;
}
