# Completion of storectl for bash. Generated: run `npm run generate` instead of editing it.
# Load it with: source <(storectl completion bash)

# Each of these answers in _storectl_reply.

# The commands below PATH.
_storectl_commands() {
  case $1 in
    '') _storectl_reply='store blog settings disputes backup reclaim notify history resume auth profile api doctor completion demo service' ;;
    'store') _storectl_reply='update' ;;
    'store update' | 'blog create' | 'settings show' | 'settings save' | 'settings diff' | 'settings edit' | 'disputes show' | 'disputes open' | 'disputes decide' | 'backup create' | 'backup restore' | 'reclaim appeal' | 'notify add-endpoint' | 'notify mark-read' | 'history list' | 'history show' | 'history prune' | 'resume' | 'auth login' | 'auth logout' | 'auth status' | 'profile list' | 'profile use' | 'profile show' | 'profile set' | 'profile remove' | 'api' | 'doctor' | 'completion' | 'demo info' | 'demo reset' | 'service start' | 'service create-store' | 'service create-key' | 'service keys' | 'service rotate-key' | 'service revoke-key' | 'service emit' | 'service deliveries') _storectl_reply='' ;;
    'blog') _storectl_reply='create' ;;
    'settings') _storectl_reply='show save diff edit' ;;
    'disputes') _storectl_reply='show open decide' ;;
    'backup') _storectl_reply='create restore' ;;
    'reclaim') _storectl_reply='appeal' ;;
    'notify') _storectl_reply='add-endpoint mark-read' ;;
    'history') _storectl_reply='list show prune' ;;
    'auth') _storectl_reply='login logout status' ;;
    'profile') _storectl_reply='list use show set remove' ;;
    'demo') _storectl_reply='info reset' ;;
    'service') _storectl_reply='start create-store create-key keys rotate-key revoke-key emit deliveries' ;;
    *) _storectl_reply='' ;;
  esac
}

# The flags of PATH.
_storectl_flags() {
  case $1 in
    '') _storectl_reply='--version -V --fields --dry-run' ;;
    'store' | 'blog' | 'settings' | 'disputes' | 'backup' | 'reclaim' | 'notify') _storectl_reply='--fields --dry-run' ;;
    'store update') _storectl_reply='--name --slug --default-currency --timezone --support-email --description --logo-image-id --favicon-image-id --brand-color --thank-you-default --cashback-bp --cashback-cap-minor --cashback-refund-window-days --cashback-expiry-days --live-stats-default --no-live-stats-default --discord-url --maintenance-message --social --checkout-coupon-field --no-checkout-coupon-field --checkout-terms-required --no-checkout-terms-required --checkout-terms-url --checkout-newsletter-opt-in --no-checkout-newsletter-opt-in --checkout-require-email-verification-for-delivery --no-checkout-require-email-verification-for-delivery --checkout-reservation-minutes --tax-rate-bp --set --from-file --output-file --fields --dry-run' ;;
    'blog create') _storectl_reply='--title --content-md --content-file --slug --excerpt --cover-image-id --tags --featured-product-ids --status --scheduled-at --meta-title --meta-description --set --from-file --edit --allow-duplicate --slugs-are-unique --retry-rate-limited --output-file --fields --dry-run' ;;
    'settings show' | 'disputes show') _storectl_reply='--output-file --fields --dry-run' ;;
    'settings save') _storectl_reply='--quiet-hours-enabled --no-quiet-hours-enabled --quiet-hours-start --quiet-hours-end --quiet-hours-timezone --discovery-enabled --no-discovery-enabled --discovery-summary --discovery-categories --showcase-enabled --no-showcase-enabled --showcase-allow-critique --no-showcase-allow-critique --showcase-summary --mobile-privacy-hide-revenue --no-mobile-privacy-hide-revenue --mobile-privacy-hide-order-values --no-mobile-privacy-hide-order-values --mobile-privacy-require-unlock --no-mobile-privacy-require-unlock --set --from-file --undo --output-file --fields --dry-run' ;;
    'settings diff') _storectl_reply='--quiet-hours-enabled --no-quiet-hours-enabled --quiet-hours-start --quiet-hours-end --quiet-hours-timezone --discovery-enabled --no-discovery-enabled --discovery-summary --discovery-categories --showcase-enabled --no-showcase-enabled --showcase-allow-critique --no-showcase-allow-critique --showcase-summary --mobile-privacy-hide-revenue --no-mobile-privacy-hide-revenue --mobile-privacy-hide-order-values --no-mobile-privacy-hide-order-values --mobile-privacy-require-unlock --no-mobile-privacy-require-unlock --set --from-file --exit-code --fields' ;;
    'settings edit' | 'history' | 'history show' | 'auth' | 'auth logout' | 'profile' | 'profile list' | 'profile use' | 'profile show' | 'profile set' | 'profile remove' | 'doctor' | 'demo' | 'demo info' | 'demo reset' | 'service') _storectl_reply='--fields' ;;
    'disputes open') _storectl_reply='--kind --reason --reason-file --idempotency-key --order-id --buyer-email --provider-case-id --risk-signal --deadline-at --appeal-deadline-at --set --from-file --idempotency-from --new --output-file --fields --dry-run' ;;
    'disputes decide') _storectl_reply='--status --resolution --resolution-file --set --from-file --from --receipt --expect-status --confirm --retry-rate-limited --output-file --fields --dry-run' ;;
    'backup create') _storectl_reply='--label --sections --idempotency-key --set --from-file --idempotency-from --new --output-file --fields --dry-run' ;;
    'backup restore') _storectl_reply='--sections --idempotency-key --set --from-file --no-safety-backup --confirm --idempotency-from --new --output-file --fields --dry-run' ;;
    'reclaim appeal') _storectl_reply='--text --text-file --set --from-file --resubmit --confirm --retry-rate-limited --output-file --fields --dry-run' ;;
    'notify add-endpoint') _storectl_reply='--kind --name --url --events --enabled --no-enabled --discord-template-title --discord-template-description --discord-template-color --set --from-file --allow-duplicate --retry-rate-limited --output-file --fields --dry-run' ;;
    'notify mark-read') _storectl_reply='--before --set --from-file --all --output-file --fields --dry-run' ;;
    'history list') _storectl_reply='--operation --state --limit --fields' ;;
    'history prune') _storectl_reply='--older-than --fields' ;;
    'resume') _storectl_reply='--even-if-old --mark --fields' ;;
    'auth login') _storectl_reply='--with-key --fields' ;;
    'auth status') _storectl_reply='--offline --fields' ;;
    'api') _storectl_reply='--field -f --input --include -i --new --retry-rate-limited --fields --dry-run' ;;
    'completion') _storectl_reply='' ;;
    'service start') _storectl_reply='--host --port --database --rate-limit --no-delivery --delivery-sink --fields' ;;
    'service create-store') _storectl_reply='--name --slug --currency --timezone --database --fields' ;;
    'service create-key') _storectl_reply='--preset --scopes --label --expires-in-days --database --fields' ;;
    'service keys' | 'service revoke-key') _storectl_reply='--database --fields' ;;
    'service rotate-key') _storectl_reply='--overlap --database --fields' ;;
    'service emit') _storectl_reply='--event --data --database --fields' ;;
    'service deliveries') _storectl_reply='--state --limit --all-dead --database --fields' ;;
    *) _storectl_reply='' ;;
  esac
  _storectl_reply="$_storectl_reply --profile --store --base-url --demo --json --quiet -q --no-input --no-pager --timeout --debug --help -h"
}

# How the value of PATH FLAG is completed: - for a switch, nothing for any text, @kind for what is looked up, words,
# and a comma before the words of a list.
_storectl_value() {
  case "$1 $2" in
    ' --fields' | 'store --fields' | 'store update --name' | 'store update --slug' | 'store update --default-currency' | 'store update --timezone' | 'store update --support-email' | 'store update --description' | 'store update --logo-image-id' | 'store update --favicon-image-id' | 'store update --brand-color' | 'store update --thank-you-default' | 'store update --cashback-bp' | 'store update --cashback-cap-minor' | 'store update --cashback-refund-window-days' | 'store update --cashback-expiry-days' | 'store update --discord-url' | 'store update --maintenance-message' | 'store update --social' | 'store update --checkout-terms-url' | 'store update --checkout-reservation-minutes' | 'store update --tax-rate-bp' | 'store update --set' | 'blog --fields' | 'blog create --title' | 'blog create --content-md' | 'blog create --slug' | 'blog create --excerpt' | 'blog create --cover-image-id' | 'blog create --tags' | 'blog create --featured-product-ids' | 'blog create --scheduled-at' | 'blog create --meta-title' | 'blog create --meta-description' | 'blog create --set' | 'settings --fields' | 'settings save --quiet-hours-start' | 'settings save --quiet-hours-end' | 'settings save --quiet-hours-timezone' | 'settings save --discovery-summary' | 'settings save --discovery-categories' | 'settings save --showcase-summary' | 'settings save --set' | 'settings diff --quiet-hours-start' | 'settings diff --quiet-hours-end' | 'settings diff --quiet-hours-timezone' | 'settings diff --discovery-summary' | 'settings diff --discovery-categories' | 'settings diff --showcase-summary' | 'settings diff --set' | 'settings diff --fields' | 'settings edit --fields' | 'disputes --fields' | 'disputes open --reason' | 'disputes open --idempotency-key' | 'disputes open --order-id' | 'disputes open --buyer-email' | 'disputes open --provider-case-id' | 'disputes open --risk-signal' | 'disputes open --deadline-at' | 'disputes open --appeal-deadline-at' | 'disputes open --set' | 'disputes decide --resolution' | 'disputes decide --set' | 'backup --fields' | 'backup create --label' | 'backup create --idempotency-key' | 'backup create --set' | 'backup restore --idempotency-key' | 'backup restore --set' | 'backup restore --fields' | 'reclaim --fields' | 'reclaim appeal --text' | 'reclaim appeal --set' | 'reclaim appeal --fields' | 'notify --fields' | 'notify add-endpoint --name' | 'notify add-endpoint --url' | 'notify add-endpoint --discord-template-title' | 'notify add-endpoint --discord-template-description' | 'notify add-endpoint --discord-template-color' | 'notify add-endpoint --set' | 'notify mark-read --before' | 'notify mark-read --set' | 'history --fields' | 'history list --limit' | 'history list --fields' | 'history show --fields' | 'history prune --older-than' | 'history prune --fields' | 'resume --fields' | 'auth --fields' | 'auth login --fields' | 'auth logout --fields' | 'auth status --fields' | 'profile --fields' | 'profile list --fields' | 'profile use --fields' | 'profile show --fields' | 'profile set --fields' | 'profile remove --fields' | 'api --field' | 'api -f' | 'api --fields' | 'doctor --fields' | 'demo --fields' | 'demo info --fields' | 'demo reset --fields' | 'service --fields' | 'service start --host' | 'service start --port' | 'service start --database' | 'service start --rate-limit' | 'service start --delivery-sink' | 'service start --fields' | 'service create-store --name' | 'service create-store --slug' | 'service create-store --currency' | 'service create-store --timezone' | 'service create-store --database' | 'service create-store --fields' | 'service create-key --label' | 'service create-key --expires-in-days' | 'service create-key --database' | 'service create-key --fields' | 'service keys --database' | 'service keys --fields' | 'service rotate-key --overlap' | 'service rotate-key --database' | 'service rotate-key --fields' | 'service revoke-key --database' | 'service revoke-key --fields' | 'service emit --data' | 'service emit --database' | 'service emit --fields' | 'service deliveries --limit' | 'service deliveries --database' | 'service deliveries --fields') _storectl_reply='' ;;
    'store update --from-file' | 'store update --output-file' | 'blog create --content-file' | 'blog create --from-file' | 'blog create --output-file' | 'settings show --output-file' | 'settings save --from-file' | 'settings save --output-file' | 'settings diff --from-file' | 'disputes show --output-file' | 'disputes open --reason-file' | 'disputes open --from-file' | 'disputes open --output-file' | 'disputes decide --resolution-file' | 'disputes decide --from-file' | 'disputes decide --from' | 'disputes decide --receipt' | 'disputes decide --output-file' | 'backup create --from-file' | 'backup create --output-file' | 'backup restore --from-file' | 'backup restore --output-file' | 'reclaim appeal --text-file' | 'reclaim appeal --from-file' | 'reclaim appeal --output-file' | 'notify add-endpoint --from-file' | 'notify add-endpoint --output-file' | 'notify mark-read --from-file' | 'notify mark-read --output-file' | 'api --input') _storectl_reply='@file' ;;
    'store update --fields') _storectl_reply=',id organisationId name slug status defaultCurrency timezone settings settings.supportEmail settings.description settings.logoImageId settings.faviconImageId settings.brandColor settings.thankYouDefault settings.cashbackBp settings.cashbackCapMinor settings.cashbackRefundWindowDays settings.cashbackExpiryDays settings.liveStatsDefault settings.discordUrl settings.maintenanceMessage settings.socials settings.checkout settings.checkout.couponField settings.checkout.termsRequired settings.checkout.termsUrl settings.checkout.newsletterOptIn settings.checkout.requireEmailVerificationForDelivery settings.checkout.reservationMinutes settings.tax settings.tax.rateBp url createdAt' ;;
    'blog create --status') _storectl_reply='draft scheduled published' ;;
    'blog create --fields') _storectl_reply=',id title slug excerpt contentMd coverImageId coverUrl coverImageUrl tags featuredProductIds status effectiveStatus publishedAt scheduledAt metaTitle metaDescription viewCount createdAt updatedAt' ;;
    'settings show --fields' | 'settings save --fields') _storectl_reply=',quietHours quietHours.enabled quietHours.start quietHours.end quietHours.timezone templates discovery discovery.enabled discovery.summary discovery.categories showcase showcase.enabled showcase.allowCritique showcase.summary mobilePrivacy mobilePrivacy.hideRevenue mobilePrivacy.hideOrderValues mobilePrivacy.requireUnlock storeId env updatedAt' ;;
    'settings save --undo') _storectl_reply='@record' ;;
    'disputes show --fields') _storectl_reply=',record record.id record.storeId record.env record.orderId record.buyerEmail record.providerCaseId record.kind record.status record.reason record.riskSignals record.deadlineAt record.appealDeadlineAt record.resolution record.idempotencyKey record.createdAt record.updatedAt evidence evidence.id evidence.kind evidence.label evidence.storageKey evidence.textValue evidence.submittedBy evidence.createdAt' ;;
    'disputes open --kind') _storectl_reply='payment' ;;
    'disputes open --idempotency-from' | 'backup create --idempotency-from' | 'backup restore --idempotency-from') _storectl_reply='ci' ;;
    'disputes open --fields' | 'disputes decide --fields') _storectl_reply=',id storeId env orderId buyerEmail providerCaseId kind status reason riskSignals deadlineAt appealDeadlineAt resolution idempotencyKey createdAt updatedAt' ;;
    'disputes decide --status') _storectl_reply='won lost withdrawn' ;;
    'disputes decide --expect-status') _storectl_reply='open won lost withdrawn' ;;
    'disputes decide --confirm') _storectl_reply='@dispute' ;;
    'backup create --sections' | 'backup restore --sections') _storectl_reply=',store blog settings endpoints' ;;
    'backup create --fields') _storectl_reply=',id version label sections createdAt' ;;
    'backup restore --confirm') _storectl_reply='@backup' ;;
    'reclaim appeal --confirm') _storectl_reply='@reclaim' ;;
    'notify add-endpoint --kind') _storectl_reply='discord' ;;
    'notify add-endpoint --events') _storectl_reply=',store_updated post_created dispute_opened dispute_decided settings_updated backup_created backup_restored reclaim_noticed reclaim_appealed feedback_digest' ;;
    'notify add-endpoint --fields') _storectl_reply=',id kind name url events enabled discordTemplate discordTemplate.title discordTemplate.description discordTemplate.color createdAt' ;;
    'notify mark-read --fields') _storectl_reply=',ok' ;;
    'history list --operation') _storectl_reply='store.update blog.create disputes.decide settings.save disputes.open backup.create backup.restore reclaim.appeal notify.add-endpoint notify.mark-read api' ;;
    'history list --state') _storectl_reply='prepared sent applied rejected not_sent unknown' ;;
    'resume --mark') _storectl_reply='applied not-applied' ;;
    'service create-key --preset') _storectl_reply='owner ci-backup support' ;;
    'service create-key --scopes') _storectl_reply=',store:write blog:write settings:read settings:write disputes:read disputes:write disputes:decide backups:write backups:restore reclaims:appeal notifications:write' ;;
    'service emit --event') _storectl_reply='feedback_digest reclaim_noticed' ;;
    'service deliveries --state') _storectl_reply='pending held delivered dead' ;;
    *' --profile') _storectl_reply='@profile' ;;
    *' --store' | *' --base-url' | *' --timeout') _storectl_reply='' ;;
    *) _storectl_reply='-' ;;
  esac
}

# The same for the positional argument PATH NUMBER, from 0: - where there is none.
_storectl_argument() {
  case "$1 $2" in
    'disputes show 0' | 'disputes decide 0') _storectl_reply='@dispute' ;;
    'backup restore 0') _storectl_reply='@backup' ;;
    'reclaim appeal 0') _storectl_reply='@reclaim' ;;
    'history show 0') _storectl_reply='@record' ;;
    'resume 0') _storectl_reply='@open-record' ;;
    'profile use 0' | 'profile show 0' | 'profile set 0' | 'profile remove 0') _storectl_reply='@profile' ;;
    'api 0') _storectl_reply='GET HEAD POST PUT PATCH DELETE' ;;
    'api 1' | 'service rotate-key 0' | 'service revoke-key 0' | 'service deliveries 1') _storectl_reply='' ;;
    'completion 0') _storectl_reply='bash zsh fish powershell' ;;
    'service deliveries 0') _storectl_reply='list retry' ;;
    'blog create '*) _storectl_reply='@file' ;;
    'notify mark-read '*) _storectl_reply='' ;;
    *) _storectl_reply='-' ;;
  esac
}

# Offers the words that begin with PREFIX; each gets BEFORE in front.
_storectl_offer() {
  local prefix=$1 before=$2 word
  shift 2
  for word in "$@"; do
    if [[ $word == "$prefix"* ]]; then COMPREPLY+=("$before$word"); fi
  done
}

# Offers what VALUE says for the text CURRENT, with BEFORE in front.
_storectl_complete_value() {
  local value=$1 current=$2 before=$3 word chosen left
  case $value in
    '') ;;
    @file)
      # Readline knows how to quote the names of files; before bash 4 there is no way to tell it to.
      if compopt -o default 2>/dev/null; then return; fi
      while IFS= read -r word; do COMPREPLY+=("$before$word"); done < <(compgen -f -- "$current")
      ;;
    @*)
      while IFS=$'\t' read -r word _; do
        _storectl_offer "$current" "$before" "$word"
      done < <("$_storectl_program" __complete "${value#@}" "${_storectl_typed[@]}" 2>/dev/null </dev/null)
      ;;
    ,*)
      chosen=
      if [[ $current == *,* ]]; then chosen=${current%,*},; fi
      left=()
      for word in ${value#,}; do
        if [[ ,$chosen != *",$word,"* ]]; then left+=("$word"); fi
      done
      _storectl_offer "${current##*,}" "$before$chosen" "${left[@]}"
      # Another one may follow.
      if ((${#left[@]} > 1)); then compopt -o nospace 2>/dev/null; fi
      ;;
    *) _storectl_offer "$current" "$before" $value ;;
  esac
}

_storectl() {
  local IFS=$' \t\n' words word rest stripped number path= position=0 pending= ended= current breaks
  local _storectl_reply _storectl_program=$1 _storectl_typed
  COMPREPLY=()

  # Readline cuts words at = and : as well: what stood together on the line is put together again.
  rest=${COMP_LINE:0:COMP_POINT}
  words=()
  for ((number = 0; number <= COMP_CWORD; number++)); do
    word=${COMP_WORDS[number]}
    stripped=${rest#"${rest%%[![:space:]]*}"}
    if [[ $stripped != "$word"* ]]; then word=$stripped; fi
    if ((number > 0)) && [[ $stripped == "$rest" ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    rest=${stripped:${#word}}
  done
  current=${words[${#words[@]} - 1]}
  _storectl_typed=("${words[@]:1:${#words[@]} - 2}")

  case $_storectl_program in
    '~/'*) _storectl_program=$HOME/${_storectl_program#'~/'} ;;
  esac
  # An alias has another name than the program.
  case $(type -t "$_storectl_program") in
    file | function) ;;
    *) _storectl_program=storectl ;;
  esac

  for word in "${_storectl_typed[@]}"; do
    if [[ -n $pending ]]; then
      pending=
    elif [[ -z $ended && $word == -- ]]; then
      ended=1
    elif [[ -z $ended && $word == --*=* ]]; then
      :
    elif [[ -z $ended && $word == -?* ]]; then
      _storectl_value "$path" "$word"
      if [[ $_storectl_reply != - ]]; then pending=$word; fi
    else
      _storectl_commands "$path"
      case " $_storectl_reply " in
        *" $word "*) path="${path:+$path }$word" ;;
        *) if [[ -n $path || $word != help ]]; then ((position++)); fi ;;
      esac
    fi
  done

  if [[ -n $pending ]]; then
    _storectl_value "$path" "$pending"
    _storectl_complete_value "$_storectl_reply" "$current" ''
  elif [[ -z $ended && $current == --*=* ]]; then
    _storectl_value "$path" "${current%%=*}"
    if [[ $_storectl_reply != - ]]; then
      _storectl_complete_value "$_storectl_reply" "${current#*=}" "${current%%=*}="
    fi
  elif [[ -z $ended && $current == -* ]]; then
    _storectl_flags "$path"
    _storectl_offer "$current" '' $_storectl_reply
  else
    _storectl_commands "$path"
    if [[ -n $_storectl_reply ]]; then
      if ((position == 0)); then _storectl_offer "$current" '' $_storectl_reply; fi
    else
      _storectl_argument "$path" "$position"
      if [[ $_storectl_reply != - ]]; then
        _storectl_complete_value "$_storectl_reply" "$current" ''
      elif [[ -z $ended && -z $current ]]; then
        _storectl_flags "$path"
        _storectl_offer '' '' $_storectl_reply
      fi
    fi
  fi

  # Readline replaces what follows the last of its word breaks and no more.
  breaks=${COMP_WORDBREAKS//[!=:]/}
  if [[ -n $breaks && $current == *["$breaks"]* ]]; then
    rest=${current%"${current##*["$breaks"]}"}
    for number in "${!COMPREPLY[@]}"; do COMPREPLY[number]=${COMPREPLY[number]#"$rest"}; done
  fi
  return 0
}

complete -F _storectl storectl
