/** Reads one-time codes from the outbox, as their recipients do. */
import { decryptMessageCode, renderMessageText } from '../../../src/server/messaging/messages.ts';
import type { Message } from '../../../src/server/store/tables.ts';
import type { TestServer } from '../../harness.ts';

/** Returns the messages to this address or number in the order in which they were sent, or all messages; no decoys. */
export async function messagesTo({ appContext }: TestServer, to?: string): Promise<Message[]> {
  const stored = await appContext.store.messages.list();
  return stored.filter((message) => message.delivery !== 'decoy' && (to === undefined || message.to === to));
}

/** Returns the last code sent to this address or number. */
export async function lastCode(server: TestServer, to: string): Promise<string> {
  const codes = (await messagesTo(server, to)).map((message) =>
    decryptMessageCode(message, server.appContext.storeSecret),
  );
  const code = codes.findLast((one) => one !== undefined);
  if (code === undefined) throw new Error(`no code was sent to ${to}`);
  return code;
}

/** Returns a code that differs from this one. */
export function createWrongCode(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}

/** Returns the text of a message as its recipient reads it. */
export function readText(server: TestServer, message: Message): string {
  return renderMessageText(message, server.appContext.storeSecret);
}
