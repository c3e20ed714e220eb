/** A write that a dialog sends. It ends with the dialog: what was canceled must not take effect later. */
import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { isAborted } from '../../api/errors.ts';
import { abortable, type RequestClients } from '../../api/requests.ts';
import { useToast } from '../toasts/toasts.tsx';

interface WriteOptions<Data>
  extends Pick<UseMutationOptions<Data, unknown, void>, 'onMutate' | 'onError' | 'onSuccess' | 'gcTime'> {
  send(clients: RequestClients): Promise<Data>;
  /** Reads again what it affects. */
  changed(): Promise<void>;
}

export function useWrite<Data>({ send, changed, onError, ...options }: WriteOptions<Data>) {
  const clients = useConsole();
  const showToast = useToast();
  const controller = useRef<AbortController>(undefined);
  const write = useMutation<Data, unknown, void>({
    ...options,
    mutationFn: async () => {
      controller.current = new AbortController();
      return send(abortable(clients, controller.current.signal)).finally(() => {
        controller.current = undefined;
      });
    },
    onError: (error, ...rest) => (isAborted(error) ? undefined : onError?.(error, ...rest)),
  });
  return {
    ...write,
    /** When the dialog is closed. The server may have carried out what it received before. */
    cancel() {
      if (controller.current === undefined) return;
      controller.current.abort();
      showToast({ text: 'Canceled while it was sent: the server may have carried it out.' });
      void changed();
    },
  };
}
