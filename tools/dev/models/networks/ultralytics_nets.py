"""Detectors of ultralytics, from the configurations that its package brings. It is under the AGPL: it
is installed as a tool, and nothing of it is part of this project."""

from __future__ import annotations

from registry import Flat, architecture, image

CONFIGURATIONS = {"ul_yolov5n": "yolov5n", "ul_yolov8n": "yolov8n", "ul_yolov8n_seg": "yolov8n-seg",
                  "ul_yolov8n_pose": "yolov8n-pose", "ul_yolov10n": "yolov10n", "ul_yolo11n": "yolo11n",
                  "ul_yolo12n": "yolo12n", "ul_yolov9t": "yolov9t", "ul_yolov8n_cls": "yolov8n-cls",
                  "ul_yolo11n_obb": "yolo11n-obb", "ul_yolov3_tiny": "yolov3-tiny", "ul_yolov6n": "yolov6n",
                  "ul_yolov8n_ghost": "yolov8n-ghost", "ul_yolov8n_p2": "yolov8n-p2", "ul_yolo26n": "yolo26n",
                  "ul_yolo11n_pose": "yolo11n-pose", "ul_yolo26n_seg": "yolo26n-seg",
                  "ul_yolo12n_cls": "yolo12n-cls", "ul_yolov5n_p6": "yolov5n-p6",
                  "ul_yolo11n_seg": "yolo11n-seg", "ul_yolov8n_obb": "yolov8n-obb", "ul_yolo26n_pose": "yolo26n-pose",
                  "ul_yolov8n_rtdetr": "yolov8n-rtdetr", "ul_yolo26n_sem": "yolo26n-sem"}

KINDS = {"seg": "SegmentationModel", "pose": "PoseModel", "cls": "ClassificationModel", "obb": "OBBModel",
         "rtdetr": "RTDETRDetectionModel", "sem": "SemanticSegmentationModel"}
WIDTH = 0.125  # half of the narrowest published; the attention of yolo12 needs that


def _maker(name: str, configuration: str):
    def make():
        from ultralytics.nn import tasks

        published = tasks.yaml_model_load(f"{configuration}.yaml")
        published["scales"] = {"n": [0.33, 0.25 if "12" in configuration else WIDTH, 1024]}
        net = getattr(tasks, KINDS.get(configuration.partition("-")[2], "DetectionModel"))(published, verbose=False)
        for module in net.modules():
            if hasattr(module, "export"):  # heads
                module.export, module.format = True, "onnx"
        return Flat(net), (image(64),)

    make.__name__ = name
    return architecture(make)


for _name, _configuration in CONFIGURATIONS.items():
    _maker(_name, _configuration)
