/** How people sign in at a process. docs/behaviour/sign-in.md */
import { err, ok, type Result } from '@gatehouse/crds';
import type { Variables } from '@gatehouse/gateway';
import { SESSION_BOUNDS } from '@gatehouse/operator/config';
import { parseSignIn, type SignInSettings } from '@gatehouse/operator/management';
import { SIGN_IN } from '../variables.ts';

/** Undefined where no issuer is named. Errors name the variable or the setting, never its value. */
export function readSignIn(variables: Variables): Result<SignInSettings | undefined, string> {
  const textOf = (name: keyof typeof SIGN_IN): string | undefined => variables[SIGN_IN[name]]?.trim() || undefined;
  const issuer = textOf('issuer');
  if (issuer === undefined) return ok(undefined);
  const trusts = textOf('trustsEmails');
  if (trusts !== undefined && trusts !== 'true' && trusts !== 'false')
    return err(`${SIGN_IN.trustsEmails}: expected true or false`);
  const hours = numberOf('sessionHours', textOf('sessionHours'));
  if (!hours.ok) return hours;
  const minutes = numberOf('idleMinutes', textOf('idleMinutes'));
  if (!minutes.ok) return minutes;
  const settings = parseSignIn({
    ...{ issuer, clientId: textOf('clientId'), clientSecret: textOf('clientSecret'), publicUrl: textOf('publicUrl') },
    ...{ trustsEmails: trusts === 'true', sessionHours: hours.value, idleMinutes: minutes.value },
  });
  return settings.ok ? settings : err(`GATEHOUSE_OIDC_…, GATEHOUSE_PUBLIC_URL: ${settings.error}`);
}

function numberOf(name: keyof typeof SESSION_BOUNDS, text: string | undefined): Result<number, string> {
  const { min, max, usual } = SESSION_BOUNDS[name];
  const number = text === undefined ? usual : Number(text);
  if (Number.isInteger(number) && number >= min && number <= max) return ok(number);
  return err(`${SIGN_IN[name]}: expected a whole number from ${min} to ${max}`);
}
