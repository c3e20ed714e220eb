/** Masks the contacts in an event for the files of the audit log: e-mail addresses and phone numbers, except in ids. */
import type * as z from 'zod';
import { maskEmail } from '../../lib/masked-email.ts';
import { maskDigits } from '../messaging/contacts.ts';
import type { Phone } from '../store/schema/define-table.ts';
import { hasEmailForm } from '../store/tables.ts';
import type { ObjectChange } from './changes.ts';
import type { AuditEvent } from './event.ts';

const atSign = /[@\ufe6b\uff20]/;
const contactParts = new RegExp(`${atSign.source}|"phoneNumber"|"\\+\\d`);

/** Whether the JSON of an event may contain one: most contain none. */
export function mayContainContacts(json: string): boolean {
  return contactParts.test(json);
}

export function maskContacts(event: AuditEvent): AuditEvent {
  const { actor, targets, objects, changesText } = event;
  return {
    ...event,
    actor: { ...actor, name: mask(actor.name) },
    targets: mask(targets),
    objects: objects?.map((object) => ({ ...object, name: mask(object.name) })),
    changesText: changesText && maskChanges(changesText),
  };
}

function maskChanges(text: string): string {
  const changes = JSON.parse(text) as readonly ObjectChange[];
  return JSON.stringify(
    changes.map((change) => ({ ...change, name: mask(change.name), fields: change.fields.map(mask) })),
  );
}

function mask<Value>(value: Value): Value {
  return maskValue(value) as Value;
}

function maskValue(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (typeof value !== 'object' || value === null) return value;
  if (isPhone(value)) return maskDigits(value.phoneNumber);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskValue(inner)]));
}

function isPhone(value: object): value is z.output<typeof Phone> {
  return Object.hasOwn(value, 'phoneNumber' satisfies keyof z.output<typeof Phone>);
}

/** Login names can be numbers in international form, and addresses be spelled with other at signs. */
function maskText(text: string): string {
  if (atSign.test(text) && hasEmailForm(text)) return maskEmail(text);
  return /^\+\d{6,}$/.test(text) ? maskDigits(text) : text;
}
