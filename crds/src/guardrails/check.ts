import type { z } from 'zod';

/** Where a check runs: on the request before the provider is called, or on its answer. */
export type CheckPhase = 'input' | 'output';

/** A check as the contract knows it: its name, its parameters and its credential, but not what it does. */
export interface CheckEntry<S extends z.ZodObject = z.ZodObject> {
  /** `<plugin>.<function>`, e.g. `default.contains`. */
  readonly id: string;
  /** Other spellings of the id. */
  readonly aliases?: readonly string[];
  /** What the check looks for and when it passes, in one sentence for the reference. */
  readonly summary: string;
  /** Where it runs; elsewhere its documented behaviour is to pass or to fail. */
  readonly phases: readonly CheckPhase[];
  /** Strict, with defaults; names are those of the reference in camelCase, never re-cased. */
  readonly parameters: S;
  /** Names of the credential's fields; absent: the check needs none. `required` fields have no default elsewhere. */
  readonly credential?: { readonly fields: readonly CredentialField[] };
  /** Names of parameters whose values may be secret, such as headers: they are kept and shown as credentials are. */
  readonly secretParameters?: readonly string[];
  /** Names of parameters with the address that secrets of the check are sent to. */
  readonly addressParameters?: readonly string[];
  /** The patterns of users among the parameters, as RE2 gets them: they count in the budget of a config. */
  patterns?(parameters: z.output<S>): readonly string[];
  /** It calls a service over the network, so that a sidecar or an offline run may not have it. */
  readonly callsOut?: true;
  /** It changes texts or bodies. */
  readonly transforms?: true;
  /** It looks at proxied calls too, as no other check does. */
  readonly proxied?: true;
  /** What it changes is no reaction to a text: once is enough, whatever becomes of the body. */
  readonly adds?: true;
  /**
   * Members of its data that may quote the text, or hold what occurs in it; `all`: any may, and messages of its errors. Absent: `all` where
   * it calls a service, whose answers may say anything, else none.
   */
  readonly quotes?: 'all' | readonly string[];
}

export interface CredentialField {
  readonly name: string;
  readonly description: string;
  /** False for values such as domains and base URLs, which may be shown. */
  readonly secret: boolean;
  readonly required: boolean;
  /** Whether the credential asks for the cloud identity of the gateway's pods by this field: no check gets it. */
  podIdentity?(fields: Readonly<Record<string, string>>): boolean;
}

/** Why a credential cannot be used: it asks for the cloud identity of the gateway's pods. Undefined: it does not. */
export function podIdentityProblem(
  known: readonly CredentialField[],
  fields: Readonly<Record<string, string>>,
): { readonly field: string; readonly message: string } | undefined {
  const asking = known.find(({ podIdentity }) => podIdentity?.(fields) === true);
  if (asking === undefined) return undefined;
  const message = `${asking.name} ${fields[asking.name]} asks for the cloud identity of the gateway's pods, which guardrails do not get: use a credential`;
  return { field: asking.name, message };
}

export const defineCheckEntry = <S extends z.ZodObject>(entry: CheckEntry<S>): CheckEntry<S> => entry;
