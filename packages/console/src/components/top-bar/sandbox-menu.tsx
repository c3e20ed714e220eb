/** Switches between the server and its sandboxes, and creates and deletes sandboxes. */
import { Button, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLogin } from '../../api/caller.ts';
import { useConsole } from '../../api/console-context.ts';
import { unwrap } from '../../api/errors.ts';
import { consoleUrlOf } from '../../api/location.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { ErrorPanel } from '../error-panel.tsx';
import { Icon, type IconName } from '../icon.tsx';
import { PermittedMenuItem } from '../permitted-button.tsx';

const queryKey = ['sandboxes'];

/** Whether the console shows the server, one of its sandboxes, or a server that requires a login. */
export function useEnvironment(): 'server' | 'sandbox' | 'remote' {
  const { location } = useConsole();
  const login = useLogin();
  if (login !== undefined) return 'remote';
  return location.sandbox === undefined ? 'server' : 'sandbox';
}

export function SandboxMenu() {
  const { location, serverControl } = useConsole();
  const environment = useEnvironment();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [isCreating, creating] = useDisclosure(false);
  const [toDelete, setToDelete] = useState<string | undefined>();
  const sandboxes = useQuery({
    queryKey,
    queryFn: ({ signal }) => unwrap(serverControl.GET('/sandboxes', { params: { query: { limit: 1000 } }, signal })),
    enabled: isMenuOpen,
    staleTime: 0,
  });
  return (
    <>
      <Menu opened={isMenuOpen} onChange={setMenuOpen} position="bottom-start" width={260}>
        <Menu.Target>
          <Button
            size="compact-sm"
            className="pill environment"
            data-environment={environment}
            leftSection={<Icon name={location.sandbox === undefined ? 'server' : 'sandbox'} />}
            rightSection={<Icon name="chevron" />}
          >
            {location.sandbox === undefined ? (
              window.location.host
            ) : (
              <>
                <span className="bar-text">Sandbox </span>
                {location.sandbox}
              </>
            )}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={400} style={{ overflow: 'auto' }}>
          <ServiceItem isCurrent={location.sandbox === undefined} href={consoleUrlOf(location)} icon="server">
            The server
          </ServiceItem>
          <Menu.Label>Sandboxes</Menu.Label>
          {sandboxes.error ? <Text p="xs">The sandboxes cannot be read here. Open the server.</Text> : undefined}
          {sandboxes.data?.length === 0 ? <Menu.Label>none</Menu.Label> : undefined}
          {sandboxes.data?.map(({ name }) => (
            <ServiceItem
              key={name}
              isCurrent={name === location.sandbox}
              href={consoleUrlOf(location, name)}
              icon="sandbox"
            >
              {name}
            </ServiceItem>
          ))}
          <Menu.Divider />
          <PermittedMenuItem
            operation="POST /_iam/sandboxes"
            leftSection={<Icon name="plus" />}
            onClick={creating.open}
          >
            Create a sandbox
          </PermittedMenuItem>
          {location.sandbox === undefined ? undefined : (
            <PermittedMenuItem
              operation="DELETE /_iam/sandboxes/{name}"
              c="var(--mantine-color-error)"
              leftSection={<Icon name="delete" />}
              onClick={() => setToDelete(location.sandbox)}
            >
              Delete this sandbox
            </PermittedMenuItem>
          )}
        </Menu.Dropdown>
      </Menu>
      <CreateSandboxDialog isOpen={isCreating} onClose={creating.close} />
      <DeleteSandboxDialog name={toDelete} onClose={() => setToDelete(undefined)} />
    </>
  );
}

interface ServiceItemProps {
  readonly isCurrent: boolean;
  readonly href: string;
  readonly icon: IconName;
  readonly children: string;
}

function ServiceItem({ isCurrent, href, icon, children }: ServiceItemProps) {
  return (
    <Menu.Item
      component="a"
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      leftSection={<Icon name={icon} />}
      rightSection={isCurrent ? <Icon name="check" /> : undefined}
      style={{ overflowWrap: 'anywhere' }}
    >
      {children}
    </Menu.Item>
  );
}

function CreateSandboxDialog({ isOpen, onClose }: { readonly isOpen: boolean; onClose(): void }) {
  const { location, serverControl } = useConsole();
  const form = useForm({ initialValues: { name: '' } });
  const create = useMutation({
    mutationFn: ({ name }: typeof form.values) => unwrap(serverControl.POST('/sandboxes', { body: { name } })),
    onSuccess: ({ name }) => window.location.assign(consoleUrlOf(location, name)),
  });
  return (
    <Modal opened={isOpen} onClose={onClose} title="Create a sandbox" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={form.onSubmit((values) => create.mutate(values))}>
        <Stack gap="sm">
          <Text size="sm">
            A separate service with its own users, clock, inbox and faults. It starts with the seed of the server and is
            deleted when it is no longer used.
          </Text>
          <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
          {create.error ? <ErrorPanel error={create.error} /> : undefined}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create and open
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function DeleteSandboxDialog({ name, onClose }: { readonly name: string | undefined; onClose(): void }) {
  const { location, serverControl } = useConsole();
  const remove = useMutation({
    mutationFn: () => unwrap(serverControl.DELETE('/sandboxes/{name}', { params: { path: { name: name ?? '' } } })),
    // Without an entry in the history, which would create it again.
    onSuccess: () => window.location.replace(consoleUrlOf(location)),
  });
  return (
    <ConfirmDialog
      title={`Delete the sandbox ${name ?? ''}`}
      isOpen={name !== undefined}
      confirmLabel="Delete"
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    >
      Its users, groups, messages and sessions are deleted, and its tokens are rejected from then on.
    </ConfirmDialog>
  );
}
