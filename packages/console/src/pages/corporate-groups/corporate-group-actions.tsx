/** Edits and deletes a corporate group. */
import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { quotePositional } from '../../components/equivalents.tsx';
import { WriteAction } from '../../components/write-action.tsx';
import {
  type CorporateGroupFields,
  corporateGroupsPath,
  formatReplacement,
  replaceCorporateGroup,
  toCorporateGroupFields,
  type VersionedCorporateGroup,
} from '../organizations/use-corporate-groups.ts';
import { useOrganizationsChanged } from '../organizations/use-organizations-changed.ts';
import { CorporateGroupForm } from './corporate-group-form.tsx';

interface CorporateGroupActionProps {
  readonly current: VersionedCorporateGroup;
}

export function EditCorporateGroup({ current }: CorporateGroupActionProps) {
  const { service } = useConsole();
  const changed = useOrganizationsChanged();
  // Only what was typed: the other fields follow the current version.
  const [typed, setTyped] = useState<Partial<CorporateGroupFields>>({});
  const fields = { ...toCorporateGroupFields(current.group), ...typed };
  return (
    <WriteAction
      operation="corporate-groups.update"
      label="Edit"
      title={`Edit ${current.group.corporateGroupName}`}
      confirmLabel="Save"
      isReady={fields.corporateGroupName !== '' && Object.keys(typed).length > 0}
      {...formatReplacement(current, fields)}
      send={() => replaceCorporateGroup(service, current, fields)}
      onDone={() => setTyped({})}
      onCancel={() => setTyped({})}
      onChanged={changed}
    >
      <CorporateGroupForm fields={fields} onChange={(changes) => setTyped({ ...typed, ...changes })} />
    </WriteAction>
  );
}

/** More names than these are counted. */
const maxNames = 10;

export function DeleteCorporateGroup({ current: { group } }: CorporateGroupActionProps) {
  const { service } = useConsole();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const changed = useOrganizationsChanged();
  const { corporateGroupId, corporateGroupName } = group;
  return (
    <WriteAction
      operation="corporate-groups.remove"
      label="Delete"
      isDangerous
      title={`Delete ${corporateGroupName}`}
      confirmLabel="Delete the corporate group"
      command={`corporate-groups delete --yes ${quotePositional(corporateGroupId)}`}
      call={{ method: 'DELETE', path: `${corporateGroupsPath}/${encodeURIComponent(corporateGroupId)}` }}
      send={() =>
        unwrap(service.DELETE('/corporate-groups/{corporateGroupId}', { params: { path: { corporateGroupId } } }))
      }
      onDone={async () => {
        await navigate({ to: '/corporate-groups' });
        queryClient.removeQueries({ queryKey: ['corporate-groups', 'one', corporateGroupId] });
      }}
      onChanged={changed}
    >
      <Text>{describeDeletion(toCorporateGroupFields(group).businesses)}</Text>
    </WriteAction>
  );
}

function describeDeletion(businesses: readonly string[]): string {
  if (businesses.length === 0) return 'It has no businesses.';
  const rest = businesses.length - maxNames;
  const names = businesses.slice(0, maxNames).join(', ');
  return `These businesses are then in no corporate group: ${names}${rest > 0 ? ` and ${rest} more` : ''}. They are not deleted.`;
}
