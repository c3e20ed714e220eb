/** Messages: the outbox of the store, and the relays that take from it where they are set. */
import type { Outbox } from '../identity/messages.ts';
import type { PortParts } from './ports.ts';

export function createOutbox({ settings }: PortParts): Outbox {
  return {
    relays: (channel) => (channel === 'email' ? settings.smtpUrl : settings.smsHookUrl) !== undefined,
    kept: () => undefined,
  };
}
