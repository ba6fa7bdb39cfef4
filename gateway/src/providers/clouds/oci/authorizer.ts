/** Requests signed with an API key of a user of Oracle Cloud Infrastructure. */
import { AppError } from '../../../errors/index.ts';
import type { Authorizer, Call, OutgoingRequest } from '../../contract.ts';
import { fieldMissing } from '../../engine/index.ts';
import { privateKeyOf } from './private-key.ts';
import { signRequest } from './sign.ts';

/** Parts of the key's name: OCIDs, and the fingerprint in hexadecimal. */
const KEY_PART = /^[\w.:-]+$/;

/** Throws AppError `PROVIDER_FIELD_MISSING`, `PARAMETER_INVALID`, `OPERATION_UNSUPPORTED` and `CREDENTIAL_UNAVAILABLE`. */
export function ociSignature(): Authorizer {
  return {
    summary: 'OCI signature version 1 with oracle_private_key',
    signs: true,
    async apply(request, call, { services }) {
      const { fields, provider } = call;
      const pem = fields.secret('oracle_private_key');
      if (pem === undefined) throw fieldMissing(provider, 'oracle_private_key');
      refuseStreamed(request, call);
      const keyId = ['oracle_tenancy', 'oracle_user', 'oracle_fingerprint'].map((key) => keyPart(call, key)).join('/');
      const key = privateKeyOf(pem, fields.secret('oracle_key_passphrase'));
      await signRequest(request, new Date(services.now()).toUTCString(), { keyId, key });
    },
  };
}

/** The value stands between quotes in a header. */
function keyPart({ fields, provider }: Call, key: string): string {
  const value = fields.text(key);
  if (value === undefined) throw fieldMissing(provider, key);
  if (KEY_PART.test(value)) return value;
  throw new AppError('PARAMETER_INVALID', {
    param: key,
    detail: `${key} must be an identifier of the vendor`,
    provider,
  });
}

/** The signature is over the hash of the body, which has to be whole. */
function refuseStreamed({ streamed }: OutgoingRequest, { provider }: Call): void {
  if (streamed === undefined) return;
  throw new AppError('OPERATION_UNSUPPORTED', {
    detail: `Calls to ${provider} are signed over their whole body: proxied ones have JSON or none`,
    provider,
  });
}
