/** Adds a member of any kind to a group. */
import { useState } from 'react';
import { WriteAction } from '../../../components/write-action.tsx';
import { type GroupGraphNode, groupQueries } from '../data/use-groups.ts';
import { addMemberRequest, formatMemberCommand, type MemberReference, memberOperations } from './member-requests.ts';
import { type MemberFields, MemberSelect } from './member-select.tsx';

const noFields: MemberFields = { kind: 'user' };

export function AddMember({ node }: { readonly node: GroupGraphNode }) {
  const [fields, setFields] = useState(noFields);
  const member = toMember(fields);
  const shown = member ?? { kind: fields.kind, id: 'MEMBER' };
  return (
    <WriteAction
      operation={memberOperations.add[fields.kind]}
      // Every administrator that may add another member may add a user; others may add users of their own business only.
      anyOperation={[memberOperations.add.user]}
      label="Add a member"
      title={`Add a member to ${node.groupName}`}
      confirmLabel="Add"
      isReady={member !== undefined}
      command={member === undefined ? undefined : formatMemberCommand('add', node.groupName, member)}
      request={addMemberRequest(node.groupId, shown)}
      changes={groupQueries}
      done="The member was added."
      onDone={() => setFields(noFields)}
      onCancel={() => setFields(noFields)}
    >
      <MemberSelect fields={fields} onChange={setFields} />
    </WriteAction>
  );
}

/** Undefined until all fields of the kind are chosen. */
function toMember({ kind, id, businessId }: MemberFields): MemberReference | undefined {
  if (id === undefined) return undefined;
  if (kind !== 'businessUser') return { kind, id };
  return businessId === undefined ? undefined : { kind, id, businessId };
}
