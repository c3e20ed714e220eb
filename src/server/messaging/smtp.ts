/** Relay for e-mails over SMTP. Loaded when the first message is sent. */
import { createTransport } from 'nodemailer';
import { type OutgoingMessage, type Relay, RelayRejection } from './relay.ts';

export interface SmtpOptions {
  /** Includes the credentials, if the relay requires them. */
  readonly url: string;
  readonly from: string;
  /** Timeout of each protocol step in milliseconds. */
  readonly timeout: number;
}

export function createSmtpRelay({ url, from, timeout }: SmtpOptions): Relay {
  const transport = createTransport({
    url,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    dnsTimeout: timeout,
    // A message must not cause nodemailer to read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async deliver(message) {
      await transport.sendMail(toMail(message, from)).catch((error: unknown) => {
        throw isRejection(error) ? new RelayRejection(`rejected with ${error.responseCode}`) : error;
      });
    },
    close: () => transport.close(),
  };
}

/** Addresses are objects: nodemailer would split strings at commas, and a message has one recipient. */
function toMail({ id, to, subject, text }: OutgoingMessage, from: string) {
  return {
    from: { name: '', address: from },
    to: { name: '', address: to },
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
