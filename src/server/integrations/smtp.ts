/** E-mails by SMTP. Loaded with the first one that goes out. */
import { createTransport } from 'nodemailer';
import { type OutgoingMessage, type Relay, RelayRejection } from './relay.ts';

export interface SmtpOptions {
  /** With the credentials, if the relay asks for some. */
  readonly url: string;
  /** The address of the sender. */
  readonly from: string;
  /** Milliseconds for each step of the conversation. */
  readonly timeout: number;
}

export function createSmtpRelay({ url, from, timeout }: SmtpOptions): Relay {
  const transport = createTransport({
    url,
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    dnsTimeout: timeout,
    // Nothing of a message is a place to read something from.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async deliver(message) {
      await transport.sendMail(toMail(message, from)).catch((error: unknown) => {
        throw isRejection(error) ? new RelayRejection(`refused with ${error.responseCode}`) : error;
      });
    },
    close: () => transport.close(),
  };
}

/** Addresses as objects: texts would be taken apart at commas, and one letter has one recipient. */
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

/** A 5xx to the addresses or the message (RFC 5321, 4.2.1). To a login it speaks of the settings, which can be mended. */
function isRejection(error: unknown): error is { responseCode: number } {
  const { code, responseCode = 0 } = error as { code?: string; responseCode?: number };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500;
}
