/** Reads the identity of the caller, which the lockout guards protect. */
import { decodeClaims } from '../auth/decode-token.ts';
import type { Context } from '../context.ts';
import { requireSendableCredentials } from '../http/connection.ts';
import { getCurrentToken } from '../request/current-token.ts';
import type { PlanCaller } from './model/remote-state.ts';
import { readControlPage } from './read-list.ts';

/** Reads the caller from its token, and the authorities of a client from the control plane. */
export async function readCaller(context: Context): Promise<PlanCaller> {
  const token = await getCurrentToken(context, requireSendableCredentials(context.settings));
  const {
    user_id: userId,
    business_id: businessId,
    client_id: clientId,
    service_id: serviceId,
  } = (token === undefined ? undefined : decodeClaims(token)) ?? {};
  const caller = pickTexts({ userId, businessId, clientId, serviceId });
  if (caller.userId !== undefined || caller.clientId === undefined) return caller;
  const page = await readControlPage(context, '/_iam/clients', { name: caller.clientId, limit: 1000 });
  const own = page?.items.find((client) => (client as { clientId?: string }).clientId === caller.clientId);
  const { authorities, serviceAccountId } = (own ?? {}) as { authorities?: string[]; serviceAccountId?: string };
  return { ...caller, ...(authorities ? { authorities } : {}), serviceId: caller.serviceId ?? serviceAccountId };
}

function pickTexts(values: Readonly<Record<string, unknown>>): PlanCaller {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value === 'string'));
}
