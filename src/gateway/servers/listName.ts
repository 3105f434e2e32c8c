import { fieldName } from "../../core/servers/fieldMapping.ts";

/** What the name of a list says about what is in it. */
export type ListName = "servers" | "neutral" | "unknown" | "other";

const wrapping =
  /(?:list|set|array|collection|response|results?|details?|info|infos|data|items|inventory|page)$/;
const servers =
  /(?:server|instance|machine|node|pod|device|droplet|linode|host|container|baremetal|worker|appliance|workstation|vm|rental|lease)(?:e?s|z)?$/;
const neutral = new Set(
  "data items item list lists records record rows row result results value values content contents entries entry elements objects resources resource output body payload response edges nodes docs hits collection members member embedded page all".split(
    " ",
  ),
);
const other =
  /(?:image|volume|disk|drive|snapshot|network|subnet|vpc|router|interface|nic|port|group|firewall|rule|region|zone|location|datacenter|facilit|site|project|user|account|tenant|organi[sz]ation|team|key|keypair|tag|label|link|error|warning|message|notice|event|action|job|task|flavor|plan|size|shape|type|price|pricing|billing|invoice|quota|limit|permission|role|filter|column|field|header|meta|metadata|pagination|paging|included|backup|template|iso|certificate|balancer|ip|address|dns|feature|capabilit|metric|alert|log|gpu|storage|partition|param|option|setting|detail|condition)(?:s|es|y|ies)?$/;

/** Judges the name of a list or map; the root has none and counts as neutral. */
export function listName(name: string | undefined): ListName {
  if (name === undefined) return "neutral";
  const plain = fieldName(name);
  if (neutral.has(plain) && plain !== "nodes") return "neutral";
  const core = plain.replace(wrapping, "");
  if (servers.test(core === "" ? plain : core) || servers.test(plain)) return "servers";
  return other.test(plain) ? "other" : "unknown";
}
