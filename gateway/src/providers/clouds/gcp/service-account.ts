import { z } from 'zod';
import { Secret } from '../../../lib/secret.ts';
import type { TargetFields } from '../../contract.ts';
import { parseJsonWith } from './parse-json.ts';

/** The members of a key file, all optional. */
export interface ServiceAccount {
  readonly projectId: string | undefined;
  readonly clientEmail: string | undefined;
  readonly keyId: string | undefined;
  /** PKCS #8 in PEM. */
  readonly privateKey: Secret | undefined;
}

const text = z.string().min(1).optional().catch(undefined);
const keyFile = z.object({ project_id: text, client_email: text, private_key_id: text, private_key: text });

/** The service account of a target; text that is no JSON object counts as absent. */
export function serviceAccountOf(fields: TargetFields): ServiceAccount | undefined {
  const json = fields.secret('vertex_service_account_json')?.reveal();
  const file = json === undefined ? undefined : parseJsonWith(keyFile, json);
  if (file === undefined) return undefined;
  return {
    projectId: file.project_id,
    clientEmail: file.client_email,
    keyId: file.private_key_id,
    // Key files that went through a shell or a YAML file often hold the two characters `\n` for a line break.
    privateKey: file.private_key === undefined ? undefined : new Secret(file.private_key.replaceAll('\\n', '\n')),
  };
}

/** The project of a call: that of the service account, else `vertex_project_id`. */
export function gcpProject(fields: TargetFields): string | undefined {
  return serviceAccountOf(fields)?.projectId ?? fields.text('vertex_project_id');
}
