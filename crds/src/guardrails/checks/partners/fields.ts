/** What the checks of partners have in common. */
import { z } from 'zod';
import { atomicList, flag, text } from '../../../schema/index.ts';
import { forwardHeaders, timeout } from '../../calls.ts';
import type { CheckPhase, CredentialField } from '../../check.ts';

export const BOTH: readonly CheckPhase[] = ['input', 'output'];
export const INPUT: readonly CheckPhase[] = ['input'];
export const OUTPUT: readonly CheckPhase[] = ['output'];

/** Parameters of every call. */
export const called = (timeoutMs = 5_000) => ({ timeout: timeout(timeoutMs), forwardHeaders });

/** Longest name, id or category in a parameter, and most of them in a list. */
const MAX_ID = 256;
const MAX_IDS = 256;

export const id = (description: string) => text(description, MAX_ID);

export const ids = (description: string) => atomicList(z.string().min(1).max(MAX_ID), description, MAX_IDS);

/** A list of names that the service knows. */
export const oneOf = <const T extends readonly [string, ...string[]]>(names: T, description: string) =>
  atomicList(z.enum(names), description, names.length);

/** The parameter `redact`. */
export const redact = (what: string) =>
  flag(`redact replaces ${what} in the text instead of failing the check for it.`, false);

export const secret = (name: string, description: string): CredentialField => ({
  name,
  description,
  secret: true,
  required: true,
});

export const optionalSecret = (name: string, description: string): CredentialField => ({
  ...secret(name, description),
  required: false,
});

export const setting = (name: string, description: string): CredentialField => ({
  name,
  description,
  secret: false,
  required: false,
});

export const neededSetting = (name: string, description: string): CredentialField => ({
  ...setting(name, description),
  required: true,
});

export const API_KEY: CredentialField = secret('apiKey', 'The API key.');

/** The address of the service; absent: its usual host. */
export const baseUrl = (host: string): CredentialField =>
  setting('baseUrl', `The URL of the service; default ${host}.`);
