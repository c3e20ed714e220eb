/** Shared by the operations on customers. */
import { apiError } from '../../contract/errors.ts';
import type { Transaction } from '../store/store.ts';
import type { Customer } from '../store/tables.ts';

/** The counter for customer ids; it only increases, so ids are never reused. */
const counterName = 'customerId';

/** A customer without its id. */
export type NewCustomer = Omit<Customer, 'customerId'>;

/**
 * Assigns a customer its id and stores it.
 * @throws IamError DOCUMENT_TAKEN, CUSTOMER_TAKEN; the transaction is then rolled back.
 */
export async function addCustomer(tx: Transaction, customer: NewCustomer): Promise<number> {
  if (customer.userId !== undefined && (await tx.customers.getBy('userId', customer.userId)))
    throw apiError('CUSTOMER_TAKEN', `The user ${customer.userId} is already a customer.`);
  const kind = customer.userId === undefined ? 'business' : 'user';
  if (await tx.customers.getBy('document', `${kind}/${customer.document}`))
    throw createDocumentTakenError(customer.document);
  const customerId = await nextCustomerId(tx);
  await tx.customers.insert({ ...customer, customerId });
  return customerId;
}

export function createDocumentTakenError(document: string) {
  const message = `Another customer of the same kind has the document ${JSON.stringify(document)}.`;
  return apiError('DOCUMENT_TAKEN', message);
}

async function nextCustomerId(tx: Transaction): Promise<number> {
  const counter = await tx.counters.get(counterName);
  const next = { name: counterName, last: (counter?.last ?? 0) + 1 };
  await (counter ? tx.counters.replace(next) : tx.counters.insert(next));
  return next.last;
}
