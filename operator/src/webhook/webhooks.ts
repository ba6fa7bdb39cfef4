import type { Certificates } from '../certificates/index.ts';
import type { Log } from '../runtime/index.ts';
import { INJECT_PATH, VALIDATE_PATH } from './configurations.ts';
import { type InjectionView, reviewPod, type SidecarOptions } from './injection/index.ts';
import { type AdmissionServer, type ReviewReport, startAdmissionServer } from './server.ts';
import { reviewResource, type ValidationView } from './validation/index.ts';

export interface WebhooksOptions {
  readonly certificates: Pick<Certificates, 'current' | 'subscribe'>;
  /** Default: all addresses. */
  readonly host?: string;
  /** 9443 in a cluster; 0 takes any free one. */
  readonly port: number;
  /** PEM of the authorities whose certificates callers must show; absent: nobody is asked for one. */
  readonly clientCaPem?: string | undefined;
  /** What is known of the cluster, read with every review. */
  readonly view: InjectionView & ValidationView;
  /** What injected containers are made of. */
  readonly sidecar: SidecarOptions;
  readonly log: Log;
  readonly onReview?: (report: ReviewReport) => void;
}

/**
 * Answers the API server on `/validate` and `/inject`, on every replica; start it when the caches are complete, and let the
 * leader run `keepRegistered`. Rejects when the port is taken. Dispose it to stop.
 */
export function startWebhooks(options: WebhooksOptions): Promise<AdmissionServer> {
  const { certificates, host = '::', port, view, sidecar, log, clientCaPem, onReview = () => {} } = options;
  return startAdmissionServer({
    certificates,
    host,
    port,
    log,
    clientCaPem,
    onReview,
    reviews: {
      [VALIDATE_PATH]: (request) => reviewResource(request, view),
      [INJECT_PATH]: (request) => reviewPod(request, view, sidecar),
    },
  });
}
