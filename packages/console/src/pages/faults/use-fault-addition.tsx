/** Adds fault rules; one that affects everything is confirmed first. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { affectsEverything, affectsEverythingText } from '../../../../../src/contract/testing/fault-effects.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { describeEffect } from '../../components/texts/describe-effect.ts';
import { useToast } from '../../components/toasts/toasts.tsx';
import { describeTarget } from '../../components/top-bar/faults-menu.tsx';
import type { FaultBodyInput } from './fault-draft.ts';

interface FaultAddition {
  readonly isPending: boolean;
  /** The question, while it is asked. */
  readonly question: ReactNode;
  add(body: FaultBodyInput): void;
}

interface FaultAdditionOptions {
  onStart(): void;
  onError(error: unknown): void;
}

export function useFaultAddition({ onStart, onError }: FaultAdditionOptions): FaultAddition {
  const { control } = useConsole();
  const queryClient = useQueryClient();
  const showToast = useToast();
  const [asked, setAsked] = useState<FaultBodyInput | undefined>();
  const { isPending, mutate } = useMutation({
    mutationFn: (body: FaultBodyInput) => unwrap(control.POST('/faults', { body })),
    onMutate: onStart,
    onSettled: () => setAsked(undefined),
    onError,
    onSuccess: (rule) => {
      showToast({ text: `Added the rule ${rule.id}: ${describeEffect(rule.effect)}, ${describeTarget(rule)}.` });
      return queryClient.invalidateQueries({ queryKey: ['faults'] });
    },
  });
  return {
    isPending,
    add(body) {
      if (isPending) return;
      if (affectsEverything(body)) setAsked(body);
      else mutate(body);
    },
    question: (
      <ConfirmDialog
        title="Affect every request?"
        isOpen={asked !== undefined}
        confirmLabel="Add"
        isPending={isPending}
        onConfirm={() => asked && mutate(asked)}
        onCancel={() => setAsked(undefined)}
      >
        {affectsEverythingText}
      </ConfirmDialog>
    ),
  };
}
