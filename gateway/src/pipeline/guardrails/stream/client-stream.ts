import type { AppError } from '../../../errors/index.ts';
import type { TextProtocol } from '../../../guardrails/stream/index.ts';
import { type ByteTransform, createRelayTransform } from '../../../wire/transform/index.ts';

/** What the client gets of a guarded stream: errors in its format, and the usage that the provider's stream reports. */
export function clientTransform(protocol: TextProtocol, provider: ByteTransform): ByteTransform {
  const client = createRelayTransform(protocol);
  return {
    push: (bytes) => client.push(bytes),
    end: () => client.end(),
    fail: (error: AppError) => client.fail(error),
    report: () => provider.report(),
    sample: () => provider.sample?.() ?? '',
  };
}
