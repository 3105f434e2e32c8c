import * as vscode from "vscode";
import type { Composition } from "../../core/compose/context/contextProtocol.ts";
import { readLink } from "../../core/panel/openedLink.ts";
import type { FormRequest } from "../account/profiles/profileForms.ts";
import { confirmRisk, showWarningMessage } from "../shell/window.ts";

/** What a `vscode://` link can open. */
export interface LinkTargets {
  /** Opens a new chat with this in its composer. */
  openChat(composition: Composition): Promise<void>;
  openForm(request: FormRequest): Promise<void>;
}

/**
 * Opens what a `vscode://` link asks for. Any page or program can open such a link and VS Code doesn't reveal which one
 * did, so nothing is sent or saved: the content is shown, with a warning about its origin.
 */
export async function followLink({ path, query }: vscode.Uri, targets: LinkTargets): Promise<void> {
  const link = readLink({ path, query });
  switch (link.kind) {
    case "problem":
      await showWarningMessage(link.problem);
      return;
    case "chat":
      return targets.openChat({
        text: link.prompt,
        parts: [],
        foreign: { place: vscode.l10n.t("a link"), text: link.prompt },
        notice: vscode.l10n.t(
          "This message comes from a link of unknown origin. Read it before you send it.",
        ),
      });
    case "profile": {
      const lines = link.facts.map(({ label, value }) => `${label}: ${value}`);
      const warning = vscode.l10n.t(
        "The origin of the link is unknown. Credentials that you enter and your conversations are sent to these addresses. Continue only if you trust them.",
      );
      const isAccepted = await confirmRisk({
        question: vscode.l10n.t("Fill in a profile from a link?"),
        detail: `${lines.join("\n")}\n\n${warning}`,
        accept: vscode.l10n.t("Review Profile"),
        decline: vscode.l10n.t("Don't Fill In"),
      });
      if (!isAccepted) return;
      const origin = vscode.l10n.t(
        "These values come from a link of unknown origin. Save the profile only if you trust its addresses.",
      );
      await targets.openForm({ form: link.form, origin });
    }
  }
}
