import { readFile } from 'node:fs/promises';
import type { ControlPlane } from '../../control-plane/control-plane.ts';
import { issue } from '../../control-plane/pki.ts';
import { probeContainer } from './pods.ts';

const REFUSE_ALL = `
const { createServer } = require('node:https');
const { readFileSync } = require('node:fs');
const server = createServer({ cert: readFileSync('/hook/tls.crt'), key: readFileSync('/hook/tls.key') }, async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { uid } = JSON.parse(body || '{"request":{}}').request;
  response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: false } }));
});
server.listen(8443);
process.on('SIGTERM', () => process.exit(0));
`;

/** A validating webhook in a pod behind a Service, which refuses every ConfigMap of its namespace but the first. */
export async function refusingWebhook(controlPlane: ControlPlane, namespace: string): Promise<object[]> {
  const { credentials } = controlPlane;
  const host = `hook.${namespace}.svc`;
  const request = { name: host, subject: `/CN=${host}`, usage: 'serverAuth', hosts: [host] } as const;
  const pair = await issue(credentials.authority, credentials.folder, request);
  const [certificate, key] = await Promise.all([readFile(pair.certificate, 'utf8'), readFile(pair.key, 'utf8')]);
  const container = probeContainer({
    command: ['node', '/hook/server.cjs'],
    readinessProbe: { tcpSocket: { port: 8443 }, periodSeconds: 1 },
    volumeMounts: [{ name: 'hook', mountPath: '/hook' }],
  });
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'hook' },
      stringData: { 'tls.crt': certificate, 'tls.key': key, 'server.cjs': REFUSE_ALL },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'hook', labels: { app: 'hook' } },
      spec: { containers: [container], volumes: [{ name: 'hook', secret: { secretName: 'hook' } }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'hook' },
      spec: { selector: { app: 'hook' }, ports: [{ port: 443, targetPort: 8443 }] },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: namespace },
      webhooks: [
        {
          name: 'refuse.gatehouse.dev',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Ignore', // so that only an answer of the pod refuses
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
          clientConfig: {
            caBundle: Buffer.from(credentials.caPem).toString('base64'),
            service: { name: 'hook', namespace },
          },
        },
      ],
    },
  ];
}
