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
  /** PEM of the authorities for client certificates; absent: none is required. */
  readonly clientCaPem?: string | undefined;
  /** What is known of the cluster, read with every review. */
  readonly view: InjectionView & ValidationView;
  /** Settings of injected containers. */
  readonly sidecar: SidecarOptions;
  readonly log: Log;
  readonly onReview?: (report: ReviewReport) => void;
}

/**
 * Serves `/validate` and `/inject` on every replica; start it when the caches are complete, and run `keepRegistered` on the
 * leader. Rejects when the port is taken. Dispose it to stop.
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
