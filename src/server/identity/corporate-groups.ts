/** What the operations on corporate groups share. */
import { type ApiErrorItem, apiError } from '../../contract/errors.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { CorporateGroup } from '../store/tables.ts';
import { assertEach } from './assert-each.ts';

type CorporateReader = Pick<Reader, 'corporateGroups' | 'businesses'>;

/** A corporate group as callers see it. */
export interface CorporateGroupView {
  readonly corporateGroupId: string;
  readonly corporateGroupName: string;
  readonly organizationId?: string;
  readonly businesses: { readonly businessId: string }[];
}

/** @throws IamError CORPORATE_GROUP_NOT_FOUND. */
export async function requireCorporateGroup(
  reader: Pick<Reader, 'corporateGroups'>,
  corporateGroupId: string,
): Promise<CorporateGroup> {
  const group = await reader.corporateGroups.get(corporateGroupId);
  if (!group) throw apiError('CORPORATE_GROUP_NOT_FOUND');
  return group;
}

const viewCache = new WeakMap<CorporateGroup, CorporateGroupView>();

/** What callers see of a corporate group. The same object for the same row, so that its wire form can be kept. */
export function toCorporateGroupView(group: CorporateGroup): CorporateGroupView {
  const cached = viewCache.get(group);
  if (cached) return cached;
  const view: CorporateGroupView = {
    corporateGroupId: group.corporateGroupId,
    corporateGroupName: group.corporateGroupName,
    ...(group.organizationId === undefined ? {} : { organizationId: group.organizationId }),
    businesses: group.businesses.map((businessId) => ({ businessId })),
  };
  viewCache.set(group, view);
  return view;
}

/** @throws IamError CORPORATE_GROUP_NAME_TAKEN where another one has the name. */
export async function assertCorporateGroupNameAvailable(
  reader: CorporateReader,
  { corporateGroupId, corporateGroupName }: Pick<CorporateGroup, 'corporateGroupId' | 'corporateGroupName'>,
): Promise<void> {
  const existing = await reader.corporateGroups.getBy('corporateGroupName', corporateGroupName);
  if (existing && existing.corporateGroupId !== corporateGroupId)
    throw apiError(
      'CORPORATE_GROUP_NAME_TAKEN',
      `Another corporate group is called ${JSON.stringify(corporateGroupName)}.`,
    );
}

/** The ids of a list of businesses, each once and in the order given. */
export function collectBusinessIds(list: readonly { readonly businessId: string }[] = []): string[] {
  return [...new Set(list.map(({ businessId }) => businessId))];
}

/**
 * Every business is there, and in no corporate group but this one; what is wrong is named, all of it.
 * @throws IamError LISTED_BUSINESS_UNKNOWN, BUSINESS_IN_CORPORATE_GROUP.
 */
export function assertBusinessesAssignable(
  reader: CorporateReader,
  { corporateGroupId, businesses }: Pick<CorporateGroup, 'corporateGroupId' | 'businesses'>,
): Promise<void> {
  return assertEach(businesses, (businessId) => findBusinessError(reader, businessId, corporateGroupId));
}

async function findBusinessError(
  reader: CorporateReader,
  businessId: string,
  ownId: string,
): Promise<ApiErrorItem | undefined> {
  if (!(await reader.businesses.get(businessId)))
    return { code: 'LISTED_BUSINESS_UNKNOWN', message: `There is no business ${businessId}.` };
  const holder = await reader.corporateGroups.getBy('business', businessId);
  if (!holder || holder.corporateGroupId === ownId) return undefined;
  const message = `The business ${businessId} is in the corporate group ${JSON.stringify(holder.corporateGroupName)}.`;
  return { code: 'BUSINESS_IN_CORPORATE_GROUP', message };
}

/** Puts a business that is in none into a corporate group. @throws IamError CORPORATE_GROUP_UNKNOWN. */
export async function joinCorporateGroup(tx: Transaction, corporateGroupId: string, businessId: string): Promise<void> {
  const group = await tx.corporateGroups.get(corporateGroupId);
  if (!group) throw apiError('CORPORATE_GROUP_UNKNOWN', `There is no corporate group ${corporateGroupId}.`);
  await tx.corporateGroups.replace({ ...group, businesses: [...group.businesses, businessId] });
}
