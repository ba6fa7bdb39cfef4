{{- /* Labels that select the pods of a part; call with the part's name. */ -}}
{{- define "gatehouse.selector" -}}
app.kubernetes.io/name: gatehouse-{{ .part }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
{{- end }}

{{- /* Labels of every object; call with `root`, `part` and, for pods, `more`. */ -}}
{{- define "gatehouse.labels" -}}
{{- $own := dict
  "app.kubernetes.io/name" (printf "gatehouse-%s" .part)
  "app.kubernetes.io/instance" .root.Release.Name
  "app.kubernetes.io/component" .part
  "app.kubernetes.io/part-of" "gatehouse"
  "app.kubernetes.io/version" .root.Chart.AppVersion
  "app.kubernetes.io/managed-by" .root.Release.Service
  "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_")
-}}
{{- merge $own (.more | default dict) .root.Values.commonLabels | toYaml -}}
{{- end }}

{{- /* A whole image name; call with `root` and `image`. */ -}}
{{- define "gatehouse.image" -}}
{{- $name := .image.repository -}}
{{- with .root.Values.imageRegistry -}}
{{- $name = printf "%s/%s" . $name -}}
{{- end -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $name .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (.image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end }}

{{- /* Namespaces of the organisation, whose fleets may serve any workspace, as JSON. */ -}}
{{- define "gatehouse.fleetNamespaces" -}}
{{- prepend .Values.fleetNamespaces .Values.defaultFleet.namespace | uniq | sortAlpha | toJson -}}
{{- end }}

{{- /* Namespaces for which an installation for named namespaces has rights, as JSON. */ -}}
{{- define "gatehouse.namespaces" -}}
{{- $fleets := include "gatehouse.fleetNamespaces" . | fromJsonArray -}}
{{- concat .Values.watchNamespaces $fleets (list .Release.Namespace) | uniq | sortAlpha | toJson -}}
{{- end }}

{{- /* Namespaces in which the operator may access Secrets, without those of its fleets, as JSON. */ -}}
{{- define "gatehouse.secretNamespaces" -}}
{{- concat (list .Release.Namespace) .Values.watchNamespaces .Values.secrets.namespaces | uniq | sortAlpha | toJson -}}
{{- end }}

{{- /* Namespaces in which the operator may run gateways, as JSON. */ -}}
{{- define "gatehouse.gatewayNamespaces" -}}
{{- $default := ternary (list .Values.defaultFleet.namespace) list .Values.defaultFleet.enabled -}}
{{- concat $default .Values.fleetNamespaces .Values.workspaceFleetNamespaces .Values.watchNamespaces | uniq | sortAlpha | toJson -}}
{{- end }}

{{- /* Binds a ClusterRole to the operator in one namespace; call with `root`, `role` and `namespace`. */ -}}
{{- define "gatehouse.bindIn" -}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: gatehouse-operator-{{ trimPrefix "gatehouse-operator-" .role | trimPrefix "gatehouse-" }}
  namespace: {{ .namespace }}
  labels:
    {{- include "gatehouse.labels" (dict "root" .root "part" "operator") | nindent 4 }}
{{ include "gatehouse.bound" . }}
{{- end }}

{{- /* Binds a ClusterRole to the operator everywhere; call with `root` and `role`. */ -}}
{{- define "gatehouse.bindCluster" -}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: {{ .role }}
  labels:
    {{- include "gatehouse.labels" (dict "root" .root "part" "operator") | nindent 4 }}
{{ include "gatehouse.bound" . }}
{{- end }}

{{- define "gatehouse.bound" -}}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ .role }}
subjects:
  - kind: ServiceAccount
    name: {{ include "gatehouse.account" .root }}
    namespace: {{ .root.Release.Namespace }}
{{- end }}

{{- /* The command that grants the operator access to the Secrets of a namespace. */ -}}
{{- define "gatehouse.secretsCommand" -}}
{{- $role := include "gatehouse.role.workspaceSecrets" . -}}
kubectl create rolebinding {{ $role }} --namespace NAMESPACE --clusterrole={{ $role }} --serviceaccount={{ .Release.Namespace }}:{{ include "gatehouse.account" . }}
{{- end }}

{{- /* The operator's ServiceAccount. */ -}}
{{- define "gatehouse.account" -}}
{{- $account := .Values.operator.serviceAccount -}}
{{- if not (or $account.create $account.name) -}}
{{- fail "operator.serviceAccount.create=false needs operator.serviceAccount.name: the account that exists" -}}
{{- end -}}
{{- $account.name | default "gatehouse-operator" -}}
{{- end }}

{{- /* Whether the chart runs PostgreSQL: `true`, or nothing. */ -}}
{{- define "gatehouse.runsPostgres" -}}
{{- if and .Values.management.enabled .Values.postgres.enabled (not .Values.postgres.urlSecretRef) -}}
true
{{- end -}}
{{- end }}

{{- /* Where the default fleet keeps the request log: `fleet` (as its spec says), `clickhouse`, `postgres`, `own`, or nothing. */ -}}
{{- define "gatehouse.logsPlace" -}}
{{- $records := .Values.defaultFleet.spec.records | default dict -}}
{{- $isOwn := and (include "gatehouse.runsPostgres" .) (ne (toString .Values.records.postgres.enabled) "false") -}}
{{- if not .Values.defaultFleet.enabled -}}
{{- else if or $records.clickhouse $records.postgres -}}
fleet
{{- else if .Values.records.clickhouse.urlSecretRef -}}
clickhouse
{{- else if .Values.records.postgres.urlSecretRef -}}
postgres
{{- else if $isOwn -}}
own
{{- end -}}
{{- end }}

{{- /* Whether the chart's PostgreSQL has an account for the request log: `true`, or nothing. */ -}}
{{- define "gatehouse.keepsLogs" -}}
{{- $isAsked := eq (toString .Values.records.postgres.enabled) "true" -}}
{{- if and $isAsked (not (include "gatehouse.runsPostgres" .)) -}}
{{- fail "records.postgres.enabled=true needs the PostgreSQL of the chart: management.enabled, postgres.enabled, and no postgres.urlSecretRef" -}}
{{- end -}}
{{- if or (and $isAsked .Values.defaultFleet.enabled) (eq (include "gatehouse.logsPlace" .) "own") -}}
true
{{- end -}}
{{- end }}

{{- /* Most that the request log takes in PostgreSQL, in MiB: as given, else five eighths of the chart's volume; nothing: no bound. */ -}}
{{- define "gatehouse.logsMebibytes" -}}
{{- $given := .Values.records.postgres.maxMebibytes | int64 -}}
{{- if $given -}}
{{- $given -}}
{{- else if eq (include "gatehouse.logsPlace" .) "own" -}}
{{- $size := include "gatehouse.postgresSize" . -}}
{{- $kibi := 1024.0 -}}
{{- $mebi := mulf $kibi $kibi -}}
{{- $units := dict "" 1.0 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "Ki" $kibi "Mi" $mebi "Gi" (mulf $mebi $kibi) "Ti" (mulf $mebi $mebi) "Pi" (mulf $mebi $mebi $kibi) -}}
{{- $unit := regexFind "[A-Za-z]*$" $size -}}
{{- if not (hasKey $units $unit) -}}
{{- fail (printf "postgres.persistence.size: %s needs records.postgres.maxMebibytes, as its unit is not understood here" $size) -}}
{{- end -}}
{{- $bytes := mulf (regexFind "^[0-9.]+" $size | float64) (get $units $unit) -}}
{{- max 64 (divf (mulf $bytes 0.625) $mebi | int64) -}}
{{- end -}}
{{- end }}

{{- /* Size of the volume of PostgreSQL: that of a StatefulSet cannot be changed, so that of an earlier version stays. */ -}}
{{- define "gatehouse.postgresSize" -}}
{{- $size := .Values.postgres.persistence.size -}}
{{- if not $size -}}
{{- $present := lookup "apps/v1" "StatefulSet" .Release.Namespace "gatehouse-postgres" -}}
{{- range dig "spec" "volumeClaimTemplates" list ($present | default dict) -}}
{{- $size = .spec.resources.requests.storage -}}
{{- end -}}
{{- end -}}
{{- $size | default "8Gi" -}}
{{- end }}

{{- /* Security context of a pod; call with `root` and `given`, which takes precedence over runAsUser. */ -}}
{{- define "gatehouse.podSecurityContext" -}}
{{- $context := deepCopy .given -}}
{{- $isAssigned := .root.Capabilities.APIVersions.Has "security.openshift.io/v1" -}}
{{- if and .root.Values.runAsUser (not $isAssigned) -}}
{{- $user := int64 .root.Values.runAsUser -}}
{{- $context = merge $context (dict "runAsUser" $user "runAsGroup" $user "fsGroup" $user) -}}
{{- end -}}
{{- toYaml $context -}}
{{- end }}

{{- /* The Service that the operator creates for the default fleet. */ -}}
{{- define "gatehouse.fleetService" -}}
{{ .Values.defaultFleet.name }}-gateway
{{- end }}

{{- define "gatehouse.fleetPort" -}}
{{- with .Values.defaultFleet.spec.listeners -}}
{{ (first .).port }}
{{- else -}}
8787
{{- end -}}
{{- end }}

{{- define "gatehouse.fleetScheme" -}}
{{- $first := .Values.defaultFleet.spec.listeners | default list | first | default dict -}}
{{- ternary "https" "http" (hasKey $first "tlsSecretRef") -}}
{{- end }}
