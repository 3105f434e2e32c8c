import * as vscode from "vscode";
import { restingStates } from "../../core/account/serverPricing.ts";
import type {
  RestingRule,
  RestingState,
  ServerPricing,
  StatedPrice,
} from "../../core/account/serverPricing.ts";
import { formatCost } from "../../core/conversation/prices.ts";
import { escapeCodicons } from "../../core/kernel/foreignText.ts";
import { readAmount, statedPrice } from "../../core/servers/cost/pricedServers.ts";
import type { Server } from "../../core/servers/server.ts";
import { factText, serverName } from "../../core/servers/serverLabels.ts";
import { formatPrice } from "../../core/servers/serverPrice.ts";
import { countText } from "../../core/servers/tree/rowLabels.ts";
import { showInputBox, showQuickPick } from "../shell/window.ts";
import type { ServersView } from "./serversView.ts";

/**
 * Asks for the prices of a profile's servers until the user closes the list, and stores each in the profile.
 * @param given The profile, if the user has chosen it.
 */
export async function setPrices(serversView: ServersView, given?: string): Promise<void> {
  const profileName = given ?? (await chooseSection(serversView));
  const { profiles } = serversView.context;
  for (;;) {
    const profile = profileName === undefined ? undefined : profiles.find(profileName);
    const section = serversView.lists.sections.find((each) => each.profileName === profileName);
    if (profile === undefined || section === undefined) return;
    const { serverPrices: pricing = {} } = profile;
    const title = vscode.l10n.t("Set Prices of “{0}”", profile.name);
    const picked = await showQuickPick(priceItems(section.snapshot.servers, pricing), { title });
    const changed = await picked?.change?.();
    if (picked === undefined) return;
    if (changed !== undefined) await profiles.put({ name: profile.name, serverPrices: changed });
  }
}

async function chooseSection({ lists }: ServersView): Promise<string | undefined> {
  const items = lists.sections.map(({ profileName, snapshot }) => ({
    label: escapeCodicons(profileName),
    description: countText(snapshot.servers.length),
    profileName,
  }));
  if (items.length <= 1) return items[0]?.profileName;
  const placeHolder = vscode.l10n.t("Profile whose prices you want to set");
  return (await showQuickPick(items, { placeHolder }))?.profileName;
}

interface PriceItem extends vscode.QuickPickItem {
  /** Asks, and returns the prices with the change; undefined if the user cancels. */
  change?(): Promise<ServerPricing | undefined>;
}

function priceItems(servers: readonly Server[], pricing: ServerPricing): readonly PriceItem[] {
  const groups = new Map<string, readonly Server[]>();
  for (const server of servers)
    groups.set(priceGroup(server), [...(groups.get(priceGroup(server)) ?? []), server]);
  const kinds = [...groups].map(([key, members]): PriceItem => {
    const prices = [...new Set(members.map(formatPrice))].map((text) => text || vscode.l10n.t("no price"));
    const isStated = members.some((server) => statedPrice(server, pricing) !== undefined);
    const stated = isStated ? vscode.l10n.t("set by you") : "";
    return {
      label: escapeCodicons(key),
      description: [countText(members.length), prices.slice(0, 3).join(", "), stated]
        .filter(Boolean)
        .join(" · "),
      change: () => changePrice(key, members, pricing),
    };
  });
  const rules = restingStates.map((state): PriceItem => ({
    label: stateLabels[state](),
    description: ruleText(pricing[state]),
    change: () => changeRule(state, pricing),
  }));
  return [
    ...kinds,
    { label: vscode.l10n.t("Servers That Aren't Running"), kind: vscode.QuickPickItemKind.Separator },
    ...rules,
    { label: vscode.l10n.t("Prices in the List"), kind: vscode.QuickPickItemKind.Separator },
    {
      label: vscode.l10n.t("Currency of prices that don't name one"),
      description: pricing.currency ?? vscode.l10n.t("unknown"),
      change: () => changeCurrency(pricing),
    },
  ];
}

/** What one price is stated for: the GPU of servers, otherwise their type, otherwise one server. */
function priceGroup(server: Server): string {
  return factText(server.gpuModel) || factText(server.type) || serverName(server);
}

const stateLabels: Readonly<Record<RestingState, () => string>> = {
  stopped: () => vscode.l10n.t("Stopped servers"),
  starting: () => vscode.l10n.t("Starting servers"),
  failed: () => vscode.l10n.t("Failed servers"),
};

function ruleText(rule: RestingRule | undefined): string {
  if (rule === undefined) return vscode.l10n.t("Unknown");
  if (rule === "nothing") return vscode.l10n.t("Nothing");
  if (rule === "full") return vscode.l10n.t("Full Price");
  return vscode.l10n.t("{0}/h", formatCost(rule, undefined));
}

async function changePrice(
  key: string,
  servers: readonly Server[],
  pricing: ServerPricing,
): Promise<ServerPricing | undefined> {
  const prompt = vscode.l10n.t(
    "Price of {0} per hour, such as 2.49 USD. Leave it empty to use the price in the list.",
    key,
  );
  const before = servers.map((server) => statedPrice(server, pricing)).find((price) => price !== undefined);
  const amount = await askAmount(prompt, pricing, before);
  if (amount === undefined) return undefined;
  const others = Object.entries(pricing.prices ?? {}).filter(
    ([name]) => name.trim().toLowerCase() !== key.toLowerCase(),
  );
  if (amount === "") return { ...pricing, prices: Object.fromEntries(others) };
  const per = await askPer(servers);
  return per && { ...pricing, prices: Object.fromEntries([...others, [key, { ...amount, per }]]) };
}

async function askPer(servers: readonly Server[]): Promise<StatedPrice["per"] | undefined> {
  if (servers.every(({ gpuCount }) => gpuCount?.value === "1")) return "gpu";
  const items = [
    { label: vscode.l10n.t("For Each GPU"), per: "gpu" },
    { label: vscode.l10n.t("For the Whole Server"), per: "server" },
  ] as const;
  return (await showQuickPick(items, { placeHolder: vscode.l10n.t("What the price is for") }))?.per;
}

async function changeRule(state: RestingState, pricing: ServerPricing): Promise<ServerPricing | undefined> {
  const rule = pricing[state];
  const items = [
    { label: ruleText("nothing"), rule: "nothing" },
    { label: ruleText("full"), rule: "full" },
    { label: vscode.l10n.t("Amount…"), rule: "amount" },
    { label: ruleText(undefined), rule: undefined },
  ] as const;
  const placeHolder = vscode.l10n.t("What they cost: {0}", stateLabels[state]());
  const picked = await showQuickPick(items, { placeHolder });
  if (picked === undefined) return undefined;
  if (picked.rule !== "amount") return { ...pricing, [state]: picked.rule };
  const prompt = vscode.l10n.t("Amount per hour of each server, such as 0.10 USD");
  const amount = await askAmount(prompt, pricing, typeof rule === "object" ? rule : undefined);
  return typeof amount === "object" ? { ...pricing, [state]: { ...amount, per: "server" } } : undefined;
}

/** Undefined if the user cancels; empty if they enter nothing. */
async function askAmount(
  prompt: string,
  { currency }: ServerPricing,
  before: StatedPrice | undefined,
): Promise<Pick<StatedPrice, "amount" | "currency"> | "" | undefined> {
  const text = await showInputBox({
    prompt,
    value: before === undefined ? "" : `${before.amount} ${before.currency}`,
    validateInput: (value) =>
      value.trim() === "" || readAmount(value, currency) !== undefined
        ? undefined
        : vscode.l10n.t("Enter an amount and its currency, such as 2.49 USD."),
  });
  if (text?.trim() === "") return "";
  return text === undefined ? undefined : readAmount(text, currency);
}

async function changeCurrency(pricing: ServerPricing): Promise<ServerPricing | undefined> {
  const text = await showInputBox({
    prompt: vscode.l10n.t("Code of the currency, such as EUR. Leave it empty if it isn't known."),
    value: pricing.currency ?? "",
    validateInput: (value) =>
      /^(?:[A-Za-z]{3})?$/.test(value.trim())
        ? undefined
        : vscode.l10n.t("Enter a code of three letters, such as EUR."),
  });
  if (text === undefined) return undefined;
  const { currency: before, ...rest } = pricing;
  const currency = text.trim().toUpperCase();
  return currency === (before ?? "") ? undefined : { ...rest, ...(currency === "" ? {} : { currency }) };
}
