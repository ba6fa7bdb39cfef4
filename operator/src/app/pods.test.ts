import { describe, expect, test } from 'vitest';
import { type GatewayPod, podProblems, slimPod } from './pods.ts';

const pod = (status: GatewayPod['status']): GatewayPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'fleets' },
  status,
});
const waiting = (reason: string): GatewayPod => pod({ containerStatuses: [{ state: { waiting: { reason } } }] });
const unplaced = pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] });
const running = pod({
  conditions: [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Ready', status: 'False', reason: 'ContainersNotReady' },
  ],
  containerStatuses: [{ state: {} }],
});

describe('what keeps pods from running', () => {
  test.for([
    { rule: 'is nothing where there are none', pods: [], want: [] },
    { rule: 'is nothing while they start', pods: [waiting('ContainerCreating'), running, pod(undefined)], want: [] },
    { rule: 'is an image that is not there', pods: [waiting('ImagePullBackOff')], want: ['ImagePullBackOff'] },
    { rule: 'is a node that is not there', pods: [unplaced, running], want: ['Unschedulable'] },
    {
      rule: 'is listed once per reason, sorted',
      pods: [unplaced, waiting('CrashLoopBackOff'), unplaced, waiting('CrashLoopBackOff')],
      want: ['CrashLoopBackOff', 'Unschedulable'],
    },
  ])('$rule', ({ pods, want }) => {
    expect(podProblems(pods)).toEqual(want);
    expect(podProblems(pods.map(slimPod))).toEqual(want);
  });
});
