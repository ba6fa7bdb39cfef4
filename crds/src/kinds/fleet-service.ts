/** The Service of a fleet. */
import { z } from 'zod';
import { pattern, type Rule, setList, stringMap, text, withRules } from '../schema/index.ts';

const IPV4_PART = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const ADDRESS_RANGE = new RegExp(
  `^((${IPV4_PART}\\.){3}${IPV4_PART}/(3[0-2]|[12]?[0-9])|[0-9a-fA-F:]{2,39}/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))$`,
);

const SERVICE_RULES: readonly Rule<{ type: string; loadBalancerSourceRanges?: unknown }>[] = [
  {
    cel: "!has(self.loadBalancerSourceRanges) || self.type == 'LoadBalancer'",
    message: 'loadBalancerSourceRanges needs the type LoadBalancer',
    at: 'loadBalancerSourceRanges',
    reason: 'FieldValueForbidden',
    holds: ({ type, loadBalancerSourceRanges }) => loadBalancerSourceRanges === undefined || type === 'LoadBalancer',
    valid: [{}, { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0/8', '2001:db8::/32'] }],
    invalid: [{ loadBalancerSourceRanges: ['10.0.0.0/8'] }],
  },
];

export const service = withRules(
  z
    .strictObject({
      type: z
        .enum(['ClusterIP', 'NodePort', 'LoadBalancer'])
        .default('ClusterIP')
        .meta({ description: 'type is the type of the Service.' }),
      labels: stringMap('labels are added to the Service.', 32, 63).optional(),
      annotations: stringMap('annotations are added to the Service.', 64, 8192).optional(),
      loadBalancerClass: text('loadBalancerClass is the class of the load balancer.', 255).optional(),
      loadBalancerSourceRanges: setList(
        pattern(ADDRESS_RANGE, 'a range of addresses like 192.0.2.0/24 or 2001:db8::/32', 64),
        'loadBalancerSourceRanges are the addresses of clients that the load balancer admits, where the platform supports it; absent or empty: any.',
        64,
      ).optional(),
    })
    .meta({ description: 'service is the Service in front of the pods; its ports are those of the listeners.' }),
  SERVICE_RULES,
);
