/** Replaces a secret by a new one, which is shown once. The previous one stays valid for a chosen time. */
import { NativeSelect, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { unwrap } from '../../api/errors.ts';
import type { AccessTarget } from '../../api/permissions.ts';
import { type ApiRequest, describeRequest } from '../../api/requests.ts';
import { formatOptions, quotePositional } from '../equivalents.tsx';
import { formatTime } from '../server-time.tsx';
import { SecretAction, type SecretResult } from './secret-action.tsx';

export interface RotationBody {
  readonly overlap?: string;
  readonly keep?: 'newest' | 'oldest';
}

interface RotateActionProps<Data> {
  readonly operation: AccessTarget;
  /** What it is in a sentence: `secret`, `key`. */
  readonly noun: string;
  /** Whose it is. */
  readonly name: string;
  readonly secretLabel: string;
  /** The end of an overlap that an earlier rotation began. */
  readonly previousEndsAt: string | undefined;
  /** What is rejected besides the previous one if it does not stay valid. */
  readonly atOnceText: ReactNode;
  /** Without its options and the id. */
  readonly command: string;
  readonly id: string;
  readonly changes: readonly string[];
  toRequest(body: RotationBody): ApiRequest<Data>;
  toResult(data: Data): SecretResult;
}

const overlaps = [
  { value: '', label: 'Not at all' },
  { value: '15m', label: '15 minutes' },
  { value: '1h', label: '1 hour' },
  { value: '24h', label: '1 day' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
];

export function RotateAction<Data>(props: RotateActionProps<Data>) {
  const { noun, name, previousEndsAt, command, toRequest, toResult } = props;
  const form = useForm({ initialValues: { overlap: '24h', keep: 'newest' as const } });
  const { overlap, keep } = form.values;
  // At most two are valid.
  const isChoice = overlap !== '' && previousEndsAt !== undefined;
  const options = { ...(overlap === '' ? {} : { overlap }), ...(isChoice ? { keep } : {}) };
  const request = toRequest(options);
  return (
    <SecretAction
      operation={props.operation}
      label={`Rotate the ${noun}`}
      title={`Rotate the ${noun} of ${name}`}
      confirmLabel="Rotate"
      doneLabel={`Rotated the ${noun} of`}
      secretLabel={props.secretLabel}
      form={form}
      isReady
      command={`${command}${formatOptions(options)}${overlap === '' ? ' --yes' : ''} ${quotePositional(props.id)}`}
      call={describeRequest(request)}
      changes={props.changes}
      send={async (clients) => toResult(await unwrap(request(clients)))}
      onClose={() => form.reset()}
    >
      <NativeSelect label={`The previous ${noun} stays valid for`} data={overlaps} {...form.getInputProps('overlap')} />
      {isChoice ? (
        <NativeSelect
          label={`Which ${noun} stays valid`}
          description={`Two are valid until ${formatTime(previousEndsAt)}; one of them ends now.`}
          data={[
            { value: 'newest', label: 'The newest' },
            { value: 'oldest', label: 'The oldest, if the newest was lost' },
          ]}
          {...form.getInputProps('keep')}
        />
      ) : undefined}
      <Text size="sm">
        {overlap === '' ? props.atOnceText : `Deploy the new ${noun} in that time. Tokens are not affected.`}
      </Text>
    </SecretAction>
  );
}
