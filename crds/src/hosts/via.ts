/**
 * The gateways a request has come through, by their ids, the last one last. Gateways send it to hosts that somebody named,
 * and nobody else may: who serves no requests of gateways refuses what carries it, and a gateway what it has sent itself.
 */
export const VIA_HEADER = 'x-gw-via';
