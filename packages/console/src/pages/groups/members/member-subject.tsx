/** A member of a group, of any kind. */
import { Subject, type SubjectKind } from '../../../components/subject.tsx';
import type { GroupMemberKind, MemberReference } from './member-requests.ts';

const subjectKinds = {
  user: 'user',
  businessUser: 'user',
  business: 'business',
  service: 'service',
} as const satisfies Readonly<Record<GroupMemberKind, SubjectKind>>;

interface MemberSubjectProps {
  readonly member: MemberReference;
  readonly isPlain?: boolean;
}

export function MemberSubject({ member: { kind, id, name }, isPlain }: MemberSubjectProps) {
  return <Subject kind={subjectKinds[kind]} id={id} name={name} isPlain={isPlain} />;
}
