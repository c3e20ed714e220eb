/** Actions that the caller may lack the role for: then disabled, but focusable, with the role as their description. */
import { Button, type ButtonProps, Menu, type MenuItemProps, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { type ComponentPropsWithRef, type MouseEvent, useId } from 'react';
import type { AccessTarget } from '../api/permissions.ts';
import { usePermission } from '../api/use-permission.ts';

interface PermittedProps {
  /** What the action sends; of several, one is sufficient. */
  readonly operation: AccessTarget | readonly AccessTarget[];
}

interface PermittedButtonProps
  extends PermittedProps,
    ButtonProps,
    Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps> {
  /** Why the action is not possible now, whoever the caller is. */
  readonly disabledReason?: string | undefined;
}

export function PermittedButton({ operation, disabledReason, ...props }: PermittedButtonProps) {
  const permission = usePermission(...toTargets(operation));
  const reason = permission.isAllowed ? disabledReason : permission.reason;
  const reasonId = useId();
  if (permission.isAllowed && disabledReason === undefined) return <Button {...props} />;
  return (
    <>
      <Tooltip
        label={reason}
        multiline
        maw={320}
        events={{ hover: true, focus: true, touch: true }}
        // All text of the page is in a landmark.
        portalProps={{ target: '#page' }}
      >
        {/* Not `disabled`: such a button has neither focus nor tooltip. */}
        <Button
          {...props}
          loading={false}
          data-disabled
          aria-disabled
          aria-describedby={reasonId}
          onClick={preventAction}
        />
      </Tooltip>
      <VisuallyHidden id={reasonId}>{reason}</VisuallyHidden>
    </>
  );
}

type PermittedMenuItemProps = PermittedProps & MenuItemProps & { onClick(): void };

export function PermittedMenuItem({ operation, children, ...props }: PermittedMenuItemProps) {
  const { isAllowed, reason } = usePermission(...toTargets(operation));
  if (isAllowed) return <Menu.Item {...props}>{children}</Menu.Item>;
  return (
    <Menu.Item
      {...props}
      closeMenuOnClick={false}
      data-disabled
      aria-disabled
      onClick={preventAction}
      style={{ opacity: 1 }}
    >
      {children}
      <Text size="xs" c="dimmed" maw={280}>
        {reason}
      </Text>
    </Menu.Item>
  );
}

function toTargets(operation: PermittedProps['operation']): readonly AccessTarget[] {
  return typeof operation === 'string' ? [operation] : operation;
}

/** Also of the form that the button submits. */
function preventAction(event: MouseEvent): void {
  event.preventDefault();
}
