/** Shared by the operations on corporate groups. */
import { type ApiErrorItem, apiError } from '../../contract/errors.ts';
import type { Derivation } from '../store/derived-values.ts';
import type { Reader, Transaction } from '../store/store.ts';
import type { CorporateGroup } from '../store/tables.ts';
import { assertEach } from './assert-each.ts';

type CorporateReader = Pick<Reader, 'corporateGroups' | 'businesses'>;

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

const corporateGroupViews: Derivation<CorporateGroupView> = { name: 'corporate group views' };

/** Converts a corporate group to its response form. Returns the same object for the same row, so that its JSON can be cached. */
export function toCorporateGroupView(
  reader: Pick<Reader, 'corporateGroups'>,
  group: CorporateGroup,
): CorporateGroupView {
  const cache = reader.corporateGroups.rowCache(corporateGroupViews);
  const cached = cache.get(group);
  if (cached) return cached;
  const view: CorporateGroupView = {
    corporateGroupId: group.corporateGroupId,
    corporateGroupName: group.corporateGroupName,
    ...(group.organizationId === undefined ? {} : { organizationId: group.organizationId }),
    businesses: group.businesses.map((businessId) => ({ businessId })),
  };
  cache.set(group, view);
  return view;
}

/** @throws IamError CORPORATE_GROUP_NAME_TAKEN if another corporate group has the name. */
export async function assertCorporateGroupNameAvailable(
  reader: CorporateReader,
  { corporateGroupId, corporateGroupName }: Pick<CorporateGroup, 'corporateGroupId' | 'corporateGroupName'>,
): Promise<void> {
  const existing = await reader.corporateGroups.getBy('corporateGroupName', corporateGroupName);
  if (existing && existing.corporateGroupId !== corporateGroupId)
    throw apiError(
      'CORPORATE_GROUP_NAME_TAKEN',
      `The corporate group name ${JSON.stringify(corporateGroupName)} is already in use.`,
    );
}

/** The distinct ids of a list of businesses, in the given order. */
export function collectBusinessIds(list: readonly { readonly businessId: string }[] = []): string[] {
  return [...new Set(list.map(({ businessId }) => businessId))];
}

/**
 * Checks that every business exists and is in no other corporate group; reports all violations.
 * @throws IamError LISTED_BUSINESS_UNKNOWN, BUSINESS_IN_CORPORATE_GROUP.
 */
export async function assertBusinessesAssignable(
  reader: CorporateReader,
  { corporateGroupId, businesses }: Pick<CorporateGroup, 'corporateGroupId' | 'businesses'>,
): Promise<void> {
  const existing = await reader.businesses.getMany(businesses);
  const known = new Set(existing.map(({ businessId }) => businessId));
  const holders = await reader.corporateGroups.findMany('business', businesses);
  const others = holders.filter((holder) => holder.corporateGroupId !== corporateGroupId);
  const holderNames = new Map(
    others.flatMap((holder) => holder.businesses.map((id) => [id, holder.corporateGroupName])),
  );
  const findError = (businessId: string): ApiErrorItem | undefined => {
    if (!known.has(businessId))
      return { code: 'LISTED_BUSINESS_UNKNOWN', message: `Business ${businessId} not found.` };
    const holder = holderNames.get(businessId);
    if (holder === undefined) return undefined;
    const message = `Business ${businessId} belongs to the corporate group ${JSON.stringify(holder)}.`;
    return { code: 'BUSINESS_IN_CORPORATE_GROUP', message };
  };
  await assertEach(businesses, findError);
}

/** Adds a business that is in no corporate group to one. @throws IamError CORPORATE_GROUP_UNKNOWN. */
export async function joinCorporateGroup(tx: Transaction, corporateGroupId: string, businessId: string): Promise<void> {
  const group = await tx.corporateGroups.get(corporateGroupId);
  if (!group) throw apiError('CORPORATE_GROUP_UNKNOWN', `Corporate group ${corporateGroupId} not found.`);
  await tx.corporateGroups.replace({ ...group, businesses: [...group.businesses, businessId] });
}
