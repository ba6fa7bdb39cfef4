/** Checks that look at JSON in a text. */
import type { CheckDefinition } from '../../contract.ts';
import { jsonKeys } from './json-keys.ts';
import { jsonSchema } from './json-schema.ts';

export const JSON_CHECKS: readonly CheckDefinition[] = [jsonSchema, jsonKeys];
