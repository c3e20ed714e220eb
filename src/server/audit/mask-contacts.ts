/** Masks the contacts in an event for the files of the audit log: e-mail addresses and phone numbers, except in ids. */
import { maskEmail } from '../../lib/masked-email.ts';
import { maskDigits } from '../messaging/contacts.ts';
import { Phone } from '../store/schema/define-table.ts';
import { hasEmailForm } from '../store/tables.ts';
import type { AuditEvent } from './event.ts';

export function maskContacts(event: AuditEvent): AuditEvent {
  const { actor, targets, objects, changes } = event;
  return {
    ...event,
    actor: { ...actor, name: mask(actor.name) },
    targets: mask(targets),
    objects: objects?.map((object) => ({ ...object, name: mask(object.name) })),
    changes: changes?.map((change) => ({ ...change, name: mask(change.name), fields: change.fields.map(mask) })),
  };
}

function mask<Value>(value: Value): Value {
  return maskValue(value) as Value;
}

function maskValue(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (typeof value !== 'object' || value === null) return value;
  const phone = Phone.safeParse(value);
  if (phone.success) return maskDigits(phone.data.phoneNumber);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskValue(inner)]));
}

/** Login names can be numbers in international form. */
function maskText(text: string): string {
  if (hasEmailForm(text)) return maskEmail(text);
  return /^\+\d{6,}$/.test(text) ? maskDigits(text) : text;
}
