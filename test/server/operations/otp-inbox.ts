/** Codes as somebody reads them who received them: from the outbox. */
import { decryptMessageCode, renderMessageText } from '../../../src/server/identity/messages.ts';
import type { Message } from '../../../src/server/store/tables.ts';
import type { TestServer } from '../../harness.ts';

/** Every message to this address or number, in the order they were sent; everything where none is named. */
export async function messagesTo({ appContext: world }: TestServer, to?: string): Promise<Message[]> {
  return (await world.store.messages.list()).filter((message) => to === undefined || message.to === to);
}

/** The last code that went to this address or number. */
export async function lastCode(server: TestServer, to: string): Promise<string> {
  const codes = (await messagesTo(server, to)).map((message) =>
    decryptMessageCode(message, server.appContext.storeSecret),
  );
  const code = codes.findLast((one) => one !== undefined);
  if (code === undefined) throw new Error(`no code went to ${to}`);
  return code;
}

/** A code that is not this one. */
export function createWrongCode(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0');
}

/** What a message says to whom it was sent to. */
export function readText(server: TestServer, message: Message): string {
  return renderMessageText(message, server.appContext.storeSecret);
}
