/** The fields of a user that an administrator sets. */
import { Checkbox, TagsInput, type TagsInputProps, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { quoteShellArgument } from '../../../components/equivalents.tsx';
import { EntitySelect, toSelectProps } from '../../groups/data/entity-select.tsx';

export interface UserFieldValues {
  readonly userName: string;
  readonly userEmail: string;
  /** As typed: country, area and number. */
  readonly mobile: string;
  readonly businessId: string;
  readonly lead: boolean;
}

/** The fields whose names differ from those of the body. */
export const userFieldNames = { userMobile: 'mobile' };

export const passwordRules =
  'At least 8 characters; no common password, and without the login name, the e-mail or the name of the service';

export const emptyUserFields: UserFieldValues = {
  userName: '',
  userEmail: '',
  mobile: '',
  businessId: '',
  lead: false,
};

export type UserForm = UseFormReturnType<UserFieldValues>;

interface UserFieldsProps {
  readonly form: UserForm;
  /** Of contacts that are masked: what an empty field means. */
  readonly emptyContactText?: string;
}

export function UserFields({ form, emptyContactText }: UserFieldsProps) {
  return (
    <>
      <TextInput label="Login name" required {...form.getInputProps('userName')} />
      <TextInput label="E-mail" type="email" description={emptyContactText} {...form.getInputProps('userEmail')} />
      <TextInput
        label="Mobile number"
        type="tel"
        description={`Country, area and number: 1 212 5550100${emptyContactText === undefined ? '' : `. ${emptyContactText}`}`}
        {...form.getInputProps('mobile')}
        error={isMobileReady(form.values) ? form.errors.mobile : 'Three numbers, separated by spaces'}
      />
      <EntitySelect label="Business" kind="businesses" isRequired={false} {...toSelectProps(form, 'businessId')} />
      <Checkbox
        label="Lead"
        description="A lead does not have the role USER"
        {...form.getInputProps('lead', { type: 'checkbox' })}
      />
    </>
  );
}

/** As the interface has it, in three parts. */
interface MobileNumber {
  readonly regionCode: number;
  readonly areaCode: number;
  readonly phoneNumber: number;
}

/** Reads `+1 212 5550100`. @returns undefined for other texts */
export function parseMobile(text: string): MobileNumber | undefined {
  const [, regionCode, areaCode, phoneNumber] = /^\+?(\d{1,3}) +(\d{1,4}) +(\d{4,12})$/.exec(text.trim()) ?? [];
  if (phoneNumber === undefined) return undefined;
  return { regionCode: Number(regionCode), areaCode: Number(areaCode), phoneNumber: Number(phoneNumber) };
}

/** @param option that has the parts: `--user-mobile` */
export function formatMobileOptions({ regionCode, areaCode, phoneNumber }: MobileNumber, option: string): string {
  return [
    `${option}.region-code ${regionCode}`,
    `${option}.area-code ${areaCode}`,
    `${option}.phone-number ${phoneNumber}`,
  ].join(' ');
}

export function isMobileReady({ mobile }: Pick<UserFieldValues, 'mobile'>): boolean {
  return mobile === '' || parseMobile(mobile) !== undefined;
}

/** The fields that are given, as the body of a request. */
export function toUserBody({ userName, userEmail, mobile, businessId, lead }: Partial<UserFieldValues>) {
  const userMobile = mobile === undefined ? undefined : parseMobile(mobile);
  return {
    ...(userName === undefined || userName === '' ? {} : { userName }),
    ...(userEmail === undefined || userEmail === '' ? {} : { userEmail }),
    ...(userMobile === undefined ? {} : { userMobile }),
    ...(businessId === undefined || businessId === '' ? {} : { businessId }),
    ...(lead === undefined ? {} : { lead }),
  };
}

/** The options of the command for the same fields. */
export function formatUserOptions({ userName, userEmail, mobile, businessId, lead }: Partial<UserFieldValues>): string {
  const userMobile = mobile === undefined ? undefined : parseMobile(mobile);
  const options = [
    userName === undefined ? '' : `--user-name ${quoteShellArgument(userName || 'NAME')}`,
    userEmail === undefined ? '' : `--user-email ${quoteShellArgument(userEmail)}`,
    userMobile === undefined
      ? mobile === ''
        ? '--set userMobile=null'
        : ''
      : formatMobileOptions(userMobile, '--user-mobile'),
    businessId === undefined ? '' : `--business-id ${quoteShellArgument(businessId)}`,
    lead === undefined ? '' : lead ? '--lead' : '--lead no',
  ];
  return options.filter((option) => option !== '').join(' ');
}

/** Of a contact for codes; the props of a field. */
export function FactorTags(field: TagsInputProps) {
  return (
    <TagsInput
      label="Tags"
      description="MARKED_RESOURCES: also for clients that see only marked contacts"
      clearable
      {...field}
    />
  );
}
