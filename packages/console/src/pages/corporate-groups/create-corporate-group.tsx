/** Creates a corporate group, and opens it. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { WriteAction } from '../../components/write-action.tsx';
import {
  type CorporateGroupFields,
  formatCorporateGroupOptions,
  organizationQueries,
  toCorporateGroupBody,
} from '../organizations/corporate-groups.ts';
import { CorporateGroupForm } from './corporate-group-form.tsx';

const emptyFields: CorporateGroupFields = { corporateGroupName: '', organizationId: '', businesses: [] };

export function CreateCorporateGroup() {
  const navigate = useNavigate();
  const [fields, setFields] = useState(emptyFields);
  return (
    <WriteAction
      operation="corporate-groups.create"
      label="Create a corporate group"
      isPrimary
      title="Create a corporate group"
      confirmLabel="Create the corporate group"
      isReady={fields.corporateGroupName !== ''}
      command={`corporate-groups create${formatCorporateGroupOptions(fields)}`}
      request={({ service }) => service.POST('/corporate-groups', { body: toCorporateGroupBody(fields) })}
      changes={organizationQueries}
      onDone={({ corporateGroupId }) => {
        setFields(emptyFields);
        return navigate({ to: '/corporate-groups/$', params: { _splat: corporateGroupId } as never });
      }}
    >
      <CorporateGroupForm fields={fields} onChange={(changes) => setFields({ ...fields, ...changes })} />
    </WriteAction>
  );
}
