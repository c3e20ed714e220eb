import * as z from 'zod';
import { optionalText } from '../../../../contract/schemas/primitives.ts';
import type { Membership } from '../../../store/tables.ts';

/** The fields of a member. */
export const memberItemFields = {
  kind: z.enum(['user', 'business', 'businessUser', 'service']),
  userId: optionalText('alice'),
  businessId: optionalText('example-shop', 'For kind businessUser: the business on whose behalf the user is a member'),
  serviceId: optionalText('billing-service'),
};

const MemberIds = z.strictObject(memberItemFields);

export function toMemberItem({ kind, memberId, businessId }: Membership): z.input<typeof MemberIds> {
  switch (kind) {
    case 'user':
      return { kind, userId: memberId };
    case 'business':
      return { kind, businessId: memberId };
    case 'service':
      return { kind, serviceId: memberId };
    case 'businessUser':
      return { kind, userId: memberId, businessId };
  }
}
