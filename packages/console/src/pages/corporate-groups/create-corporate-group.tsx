/** Creates a corporate group, and opens it. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { WriteAction } from '../../components/write-action.tsx';
import {
  type CorporateGroupFields,
  corporateGroupsPath,
  formatCorporateGroupOptions,
  toCorporateGroupBody,
} from '../organizations/use-corporate-groups.ts';
import { useOrganizationsChanged } from '../organizations/use-organizations-changed.ts';
import { CorporateGroupForm } from './corporate-group-form.tsx';

const emptyFields: CorporateGroupFields = { corporateGroupName: '', organizationId: '', businesses: [] };

export function CreateCorporateGroup() {
  const { service } = useConsole();
  const navigate = useNavigate();
  const changed = useOrganizationsChanged();
  const [fields, setFields] = useState(emptyFields);
  const body = toCorporateGroupBody(fields);
  return (
    <WriteAction
      operation="corporate-groups.create"
      label="Create a corporate group"
      title="Create a corporate group"
      confirmLabel="Create the corporate group"
      isReady={fields.corporateGroupName !== ''}
      command={`corporate-groups create${formatCorporateGroupOptions(fields)}`}
      call={{ method: 'POST', path: corporateGroupsPath, body }}
      send={async () => {
        const { corporateGroupId } = await unwrap(service.POST('/corporate-groups', { body }));
        setFields(emptyFields);
        await navigate({ to: '/corporate-groups/$', params: { _splat: corporateGroupId } as never });
      }}
      onChanged={changed}
    >
      <CorporateGroupForm fields={fields} onChange={(changes) => setFields({ ...fields, ...changes })} />
    </WriteAction>
  );
}
