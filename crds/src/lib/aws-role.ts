/** A role of AWS that is assumed to reach a store of the deployment. */
import { err, ok, type Result } from './result.ts';

export interface AwsRole {
  readonly arn: string;
  readonly externalId: string | undefined;
}

export const ROLE_ARN: RegExp = /^arn:aws[a-z-]*:iam::[0-9]{12}:role\/[A-Za-z0-9+=,.@_/-]+$/;
export const EXTERNAL_ID: RegExp = /^[A-Za-z0-9+=,.@:/-]+$/;
/** Longest ARN and external id, in characters. */
export const MAX_ROLE_ARN = 2_048;
export const MAX_EXTERNAL_ID = 1_224;

export interface RoleVariables {
  readonly arn: string | undefined;
  readonly externalId: string | undefined;
}

/** Undefined: none is assumed. `names`: of the variables; an error begins with one of them and never repeats a value. */
export function awsRoleOf(
  { arn, externalId }: RoleVariables,
  names: { readonly arn: string; readonly externalId: string },
): Result<AwsRole | undefined, string> {
  if (externalId !== undefined && arn === undefined)
    return err(`${names.externalId}: needs ${names.arn}, the ARN of the role that asks for it`);
  if (externalId !== undefined && (externalId.length > MAX_EXTERNAL_ID || !EXTERNAL_ID.test(externalId)))
    return err(`${names.externalId}: expected the external id that the role of ${names.arn} asks for`);
  if (arn === undefined) return ok(undefined);
  if (arn.length > MAX_ROLE_ARN || !ROLE_ARN.test(arn)) return err(`${names.arn}: expected the ARN of a role`);
  return ok({ arn, externalId });
}
